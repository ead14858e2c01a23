import type { CountedRead, Store } from "@holdfast/core";
import { type BrokenStore, broken } from "./broken-store.ts";

const inWindow = "counts reads of an operation in a window, of one run or of all [R89]";
const once = "counts a read for its owner alone, and once under its name [R89, R158]";
const charged = "charges reads to a budget together with calls, and moves it on [R89]";
const forgotten = "forgets reads that no window reaches back to, and no others [R89]";

function counting(
  store: Store,
  change: (read: CountedRead, index: number) => CountedRead,
): Pick<Store, "commit"> {
  return {
    commit: (changes) =>
      store.commit(changes.map((each) => ({ ...each, counted: each.counted?.map(change) ?? [] }))),
  };
}

let times = 0;

export const brokenCountedReads: readonly BrokenStore[] = [
  broken("counts reads of all runs for each", inWindow, (store) => ({
    sumReads: (workflow, of) => store.sumReads(workflow, { ...of, runId: null }),
  })),
  broken("counts reads from before the window", inWindow, (store) => ({
    sumReads: (workflow, of) => store.sumReads(workflow, { ...of, after: 0 }),
  })),
  broken("counts a read anew when it is settled", once, (store) =>
    counting(store, (read) => ({ ...read, readId: `${read.readId}/${times++}` })),
  ),
  broken("charges no reads", charged, (store) =>
    counting(store, (read) => ({ ...read, budget: null })),
  ),
  broken("forgets reads too early", forgotten, (store) =>
    counting(store, (read) => ({ ...read, at: read.at > 1_000 ? read.at + 1 : read.at })),
  ),
];
