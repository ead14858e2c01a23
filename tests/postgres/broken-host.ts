import {
  type ChainPoint,
  type Change,
  type CommitAnswer,
  genesisHash,
  openRecord,
  type Store,
  sealRecords,
} from "@holdfast/core";
import { SentCalls } from "../crash/sent-calls.ts";

/**
 * Ways to go on wrongly after a commit whose answer was lost, to show that the matrix would see it.
 * committed-on-unknown: takes silence for yes. decide-again-blindly: puts the same facts on
 * whatever head is there. forgets-what-it-sent: asks the row instead of its memory.
 */
export const breakages = [
  "committed-on-unknown",
  "decide-again-blindly",
  "forgets-what-it-sent",
] as const;
export type Breakage = (typeof breakages)[number];

/** Not a breakage: the very same change again lands once or comes too late. */
export type Manner = Breakage | "repeats-the-same-change" | null;

export function withManner(store: Store, manner: Manner): Store {
  const repair = repairs[manner ?? ""];
  if (repair === undefined) return store;
  const commit: Store["commit"] = async (changes) => {
    const answers = await store.commit(changes);
    return Promise.all(
      changes.map(async (change, index): Promise<CommitAnswer> => {
        const answer = answers[index] ?? { kind: "lease_lost" };
        return answer.kind === "unknown" ? repair(store, change) : answer;
      }),
    );
  };
  return new Proxy(store, {
    get: (target, name) => {
      if (name === "commit") return commit;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

type Repair = (store: Store, change: Change) => Promise<CommitAnswer>;

const repairs: Readonly<Record<string, Repair>> = {
  "committed-on-unknown": async (_, { expectedHead, records }) => {
    return { kind: "committed", head: expectedHead + records.length };
  },
  "repeats-the-same-change": async (store, change) => {
    const [answer] = await store.commit([change]);
    return answer ?? { kind: "lease_lost" };
  },
  "decide-again-blindly": async (store, change) => {
    const { head } = await store.load(change.workflow, []);
    const [answer] = await store.commit([await moveTo(store, change, head)]);
    return answer ?? { kind: "lease_lost" };
  },
};

/** The same facts, sealed on another head. */
async function moveTo(store: Store, change: Change, head: ChainPoint): Promise<Change> {
  const { workflow, expectedHead } = change;
  const [last] = expectedHead === 0 ? [] : await store.readJournal(workflow, expectedHead - 1, 1);
  let previous: ChainPoint = last ?? { seq: 0, hash: genesisHash };
  const records = change.records.map((sealed, index) => {
    const opened = openRecord(workflow, previous, sealed);
    previous = sealed;
    if (!opened.ok) throw new Error("a record of our own cannot be opened");
    return { ...opened.record, seq: head.seq + 1 + index };
  });
  return { ...change, expectedHead: head.seq, records: sealRecords(workflow, head, records) };
}

/** One that knows of nothing it has sent. */
class NoMemory extends SentCalls {
  override find(): null {
    return null;
  }
}

export function sentCallsOf(manner: Manner): SentCalls {
  return manner === "forgets-what-it-sent" ? new NoMemory() : new SentCalls();
}
