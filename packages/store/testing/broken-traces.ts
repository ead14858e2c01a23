import type { Change, KeptTrace, Store } from "@holdfast/core";
import { type BrokenStore, broken, commitAlone, commitEach, rebased } from "./broken-store.ts";
import { Owner, someFact } from "./change-builder.ts";

function reading(
  store: Store,
  change: (traces: readonly KeptTrace[]) => readonly KeptTrace[],
): Pick<Store, "readTraces"> {
  return { readTraces: async (...wanted) => change(await store.readTraces(...wanted)) };
}

/** The parts of a change that are about traces, in one that has nothing else and lands. */
async function onlyTraces(store: Store, change: Change): Promise<void> {
  const { trace, forgetTracesThrough } = change;
  const owner = await Owner.of(store, change.workflow);
  const bare = owner.change({ facts: [someFact], trace, forgetTracesThrough });
  await commitAlone(store, await rebased(store, bare));
}

export const brokenTraces: readonly BrokenStore[] = [
  broken(
    "keeps no traces",
    "keeps the trace of a change at the position of its last fact, as it was given [R35]",
    (store) => commitEach((change) => commitAlone(store, { ...change, trace: null })),
  ),
  broken(
    "mends the text of a trace",
    "keeps the trace of a change at the position of its last fact, as it was given [R35]",
    (store) =>
      reading(store, (traces) => traces.map((each) => ({ ...each, text: `${each.text.trim()} ` }))),
  ),
  broken(
    "reads traces from the position itself",
    "reads the traces of one workflow after a position, in order, up to the limit",
    (store) => ({
      readTraces: (workflow, after, limit) => store.readTraces(workflow, after - 1, limit),
    }),
  ),
  broken(
    "reads traces newest first",
    "reads the traces of one workflow after a position, in order, up to the limit",
    (store) => reading(store, (traces) => traces.toReversed()),
  ),
  broken(
    "keeps the trace though the change did not land",
    "keeps no trace of a change that did not land [R113]",
    (store) =>
      commitEach(async (change) => {
        const answer = await commitAlone(store, change);
        if (answer.kind === "refused") await onlyTraces(store, change);
        return answer;
      }),
  ),
  broken(
    "forgets traces though the change did not land",
    "forgets with a change the workflow's traces up to a position, and no others",
    (store) =>
      commitEach(async (change) => {
        const answer = await commitAlone(store, change);
        if (answer.kind === "lease_lost") await onlyTraces(store, { ...change, trace: null });
        return answer;
      }),
  ),
  broken(
    "forgets no traces",
    "forgets with a change the workflow's traces up to a position, and no others",
    (store) => commitEach((change) => commitAlone(store, { ...change, forgetTracesThrough: null })),
  ),
  broken(
    "prunes past the limit",
    "prunes what is older than a time, the oldest first, up to the limit, and says how many",
    (store) => ({ pruneTraces: (before, limit) => store.pruneTraces(before, limit + 1) }),
  ),
  broken(
    "prunes what is just as old",
    "prunes what is older than a time, the oldest first, up to the limit, and says how many",
    (store) => ({ pruneTraces: (before, limit) => store.pruneTraces(before + 1, limit) }),
  ),
  broken("tells live views of pruning", "changes nothing else when it prunes", (store) => ({
    pruneTraces: async (before, limit) => {
      const pruned = await store.pruneTraces(before, limit);
      await (await Owner.of(store, "orders")).persist();
      return pruned;
    },
  })),
];
