import { type Change, type CommitAnswer, factVersion, type RowChange } from "@holdfast/core";
import { type BrokenStore, broken, commitAlone, commitEach, rebased } from "./broken-store.ts";

function missed(answer: CommitAnswer): boolean {
  return answer.kind === "conflict" || answer.kind === "lease_lost";
}

/** What one change would leave behind without its records. */
function leftover(change: Change, parts: Partial<Change>): Change {
  const nothing = { records: [], rows: [], blobs: [], settledBelow: [], trace: null };
  return { ...change, ...nothing, forgetTracesThrough: null, ...parts };
}

export const brokenCommits: readonly BrokenStore[] = [
  broken(
    "ignores the head",
    "answers conflict with the real head when the decision was made on an older one",
    (store) =>
      commitEach(async (change) => {
        const { epoch } = await store.load(change.workflow, []);
        if (epoch !== change.epoch) return { kind: "lease_lost" };
        return commitAlone(store, await rebased(store, change));
      }),
  ),
  broken(
    "ignores the epoch",
    "answers lease_lost to an epoch before or after the real one, and writes nothing",
    (store) =>
      commitEach(async (change) => {
        const { epoch } = await store.load(change.workflow, []);
        return commitAlone(store, { ...change, epoch });
      }),
  ),
  broken(
    "looks at the head before the epoch",
    "answers lease_lost, not conflict, when both epoch and head are stale",
    (store) =>
      commitEach(async (change) => {
        const { head } = await store.load(change.workflow, []);
        if (head.seq !== change.expectedHead) return { kind: "conflict", head: head.seq };
        return commitAlone(store, change);
      }),
  ),
  broken(
    "fails the whole group on one stale head",
    "a stale head never lands and never fails the others of its group",
    (store) => ({
      commit: async (changes) => {
        for (const change of changes) {
          const { head } = await store.load(change.workflow, []);
          if (head.seq === change.expectedHead) continue;
          return changes.map(() => ({ kind: "conflict", head: head.seq }));
        }
        return store.commit(changes);
      },
    }),
  ),
  broken(
    "fails the whole group on one stale epoch",
    "a stale epoch never lands and never fails the others of its group",
    (store) => ({
      commit: async (changes) => {
        for (const change of changes) {
          const { epoch } = await store.load(change.workflow, []);
          if (epoch !== change.epoch) return changes.map(() => ({ kind: "lease_lost" }));
        }
        return store.commit(changes);
      },
    }),
  ),
  broken(
    "fails what comes while a group is under way",
    "lands groups that cross, at once and within the answers of others, all of them [S61]",
    (store) => {
      let isBusy = false;
      return {
        commit: async (changes) => {
          if (isBusy) throw new Error("cannot start a transaction within a transaction");
          isBusy = true;
          await Promise.resolve();
          return store.commit(changes).finally(() => {
            isBusy = false;
          });
        },
      };
    },
  ),
  broken(
    "answers unknown to a whole group when one change is refused",
    "a refused change never fails the others of its group",
    (store) => ({
      commit: async (changes) => {
        const answers = await store.commit(changes);
        if (!answers.some((answer) => answer.kind === "refused")) return answers;
        return answers.map(() => ({ kind: "unknown", cause: null }));
      },
    }),
  ),
  broken(
    "takes a group from its end",
    "takes the changes of one workflow in the order of the group",
    (store) => ({
      commit: async (changes) => (await store.commit(changes.toReversed())).toReversed(),
    }),
  ),
  broken(
    "writes the rows though the head missed",
    "a stale head never lands and never fails the others of its group",
    (store) =>
      commitEach(async (change) => {
        const answer = await commitAlone(store, change);
        if (missed(answer)) {
          await commitAlone(store, await rebased(store, leftover(change, { rows: change.rows })));
        }
        return answer;
      }),
  ),
  broken(
    "writes the blobs though the change missed",
    "writes no blob of a change that missed",
    (store) =>
      commitEach(async (change) => {
        const answer = await commitAlone(store, change);
        if (missed(answer)) {
          await commitAlone(store, await rebased(store, leftover(change, { blobs: change.blobs })));
        }
        return answer;
      }),
  ),
  broken(
    "keeps the rows before the one that was refused",
    "leaves nothing of a prepared run whose last row is refused [R31]",
    (store) =>
      commitEach(async (change) => {
        const answer = await commitAlone(store, change);
        if (answer.kind === "refused") {
          await commitAlone(store, leftover(change, { rows: change.rows.slice(0, -1) }));
        }
        return answer;
      }),
  ),
  broken(
    "keeps the blobs of a change that was refused",
    "leaves no record, row, blob, due time, fact version or hint of a refused change",
    (store) =>
      commitEach(async (change) => {
        const answer = await commitAlone(store, change);
        if (answer.kind === "refused") {
          const { dueAt } = (await store.listWorkflows(null, 1))[0] ?? { dueAt: null };
          await commitAlone(store, leftover(change, { blobs: change.blobs, dueAt }));
        }
        return answer;
      }),
  ),
  broken(
    "keeps the due time of a change that missed",
    "takes the due time of the last commit that landed, and of no other",
    (store) =>
      commitEach(async (change) => {
        const answer = await commitAlone(store, change);
        if (missed(answer)) await commitAlone(store, await rebased(store, leftover(change, {})));
        return answer;
      }),
  ),
  broken(
    "forgets the fact version of its records",
    "names what is due but too new for this program, and gives out the rest",
    (store) =>
      commitEach((change) => {
        const records = change.records.map((record) => ({ ...record, version: factVersion }));
        return commitAlone(store, { ...change, records });
      }),
  ),
  broken(
    "drops the last row of a change",
    "writes result, reservations, wake time and phase of a prepared run together [R31]",
    (store) =>
      commitEach((change) => commitAlone(store, { ...change, rows: change.rows.slice(0, -1) })),
  ),
  broken(
    "clears what every handler kept",
    "clears what one handler kept and nothing of another [R149]",
    (store) =>
      commitEach((change) => {
        const rows = change.rows.flatMap((row): readonly RowChange[] =>
          row.op === "clear_kv" ? [row, { op: "clear_kv", handler: "polls" }] : [row],
        );
        return commitAlone(store, { ...change, rows });
      }),
  ),
  broken("calls everything due", "gives only workflows that are due", (store) =>
    commitEach((change) => commitAlone(store, { ...change, dueAt: 0 })),
  ),
];
