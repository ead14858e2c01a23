import { type BrokenStore, broken, commitAlone, commitEach, rebased } from "./broken-store.ts";
import { Owner, someFact } from "./change-builder.ts";

export const brokenParts: readonly BrokenStore[] = [
  broken(
    "gives parts in an order of its own",
    "gives parts back in the order asked for, and null for those it does not have",
    (store) => ({
      loadParts: async (...wanted) => (await store.loadParts(...wanted)).toReversed(),
    }),
  ),
  broken(
    "keeps parts as blobs",
    "keeps parts and blobs apart, though their bytes are the same",
    (store) =>
      commitEach(({ blobs, parts = [], ...change }) =>
        commitAlone(store, { ...change, blobs: [...blobs, ...parts] }),
      ),
  ),
  broken(
    "lists parts from the last one on",
    "lists the parts of a workflow by their hashes, page by page",
    (store) => ({
      listParts: async (...wanted) => (await store.listParts(...wanted)).toReversed(),
    }),
  ),
  broken(
    "sweeps what was given a moment ago",
    "sweeps of the parts named those untouched for so long, and says how many",
    (store) => ({
      sweepParts: (workflow, hashes) => store.sweepParts(workflow, hashes, -1),
    }),
  ),
  broken(
    "keeps the parts though the change missed",
    "writes no part of a change that missed",
    (store) =>
      commitEach(async (change) => {
        const answer = await commitAlone(store, change);
        if (answer.kind !== "lease_lost") return answer;
        const owner = await Owner.of(store, change.workflow);
        const bare = owner.change({ facts: [someFact], parts: change.parts ?? [] });
        await commitAlone(store, await rebased(store, bare));
        return answer;
      }),
  ),
];
