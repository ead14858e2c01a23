import type { Change, CommitAnswer, Store } from "@holdfast/core";
import { openMemoryStore } from "../memory/open.ts";
import type { OpenOptions, OpenStore } from "./store-case.ts";

/** A store that breaks one promise on purpose, and the case that has to see it. */
export type BrokenStore = {
  readonly name: string;
  readonly seenBy: string;
  readonly open: OpenStore;
};

/** The memory store underneath calls back at once, or it was broken so that it never does. */
const brokenPatienceMs = 100;

/** The memory store with some methods replaced. */
export function broken(
  name: string,
  seenBy: string,
  change: (store: Store, options: OpenOptions) => Partial<Store>,
): BrokenStore {
  const open: OpenStore = async (options) => {
    const store = openMemoryStore(options);
    return { store: { ...store, ...change(store, options) }, patienceMs: brokenPatienceMs };
  };
  return { name, seenBy, open };
}

/** Commits one by one through `commitOne`, which is where the rule is broken. */
export function commitEach(
  commitOne: (change: Change) => Promise<CommitAnswer>,
): Pick<Store, "commit"> {
  return {
    commit: async (changes) => {
      const answers: CommitAnswer[] = [];
      for (const change of changes) answers.push(await commitOne(change));
      return answers;
    },
  };
}

export async function commitAlone(store: Store, change: Change): Promise<CommitAnswer> {
  const [answer] = await store.commit([change]);
  if (answer === undefined) throw new Error("one change has one answer");
  return answer;
}

/** The same change as if it had been decided on what is really there. */
export async function rebased(store: Store, change: Change): Promise<Change> {
  const { head, epoch } = await store.load(change.workflow, []);
  const shift = head.seq - change.expectedHead;
  const records = change.records.map((record) => ({ ...record, seq: record.seq + shift }));
  return { ...change, epoch, expectedHead: head.seq, records };
}
