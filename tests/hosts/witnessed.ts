import type { Change, CommitAnswer, Store } from "@holdfast/core";
import type { Breakage } from "./child-options.ts";
import { nanos } from "./history-line.ts";
import { say } from "./say.ts";

type Witnessed = {
  readonly store: Store;
  /** The answer to the next claim gets lost on its way. */
  readonly loseClaim: () => void;
};

/** What was asked for was done, but the host does not learn of it. */
export class LostAnswer extends Error {}

type Replaced = Pick<
  Store,
  "commit" | "appendCommand" | "claim" | "heartbeat" | "release" | "closeHost"
>;

type WitnessOptions = {
  readonly breakage: Breakage | null;
  readonly beforeCommit: () => void;
  /** Called when whoever waited for the answer to a heartbeat has seen it. */
  readonly onBeat: () => void;
};

/** The store, with everything it is asked for and everything it answers told to the parent. */
export function witnessed(store: Store, options: WitnessOptions): Witnessed {
  const { breakage, beforeCommit, onBeat } = options;
  let claimIsLost = false;
  const replaced: Replaced = {
    commit: (changes) => {
      beforeCommit();
      return commit(store, changes, breakage);
    },
    appendCommand: async (command) => {
      const { workflow, commandId } = command;
      say({ kind: "appending", workflow, commandId });
      const receipt = await store.appendCommand(command);
      say({ kind: "appended", workflow, commandId });
      return receipt;
    },
    claim: async (incarnation, limit) => {
      const answer = await store.claim(incarnation, limit);
      const at = nanos();
      for (const { workflow, epoch } of answer.claims) {
        say({ kind: "claimed", incarnation, workflow, epoch, at });
      }
      const isLost = claimIsLost && answer.claims.length > 0;
      if (isLost) claimIsLost = false;
      if (isLost) throw new LostAnswer("the answer to the claim got lost");
      return answer;
    },
    heartbeat: async (incarnation) => {
      const lives = await store.heartbeat(incarnation);
      setImmediate(onBeat);
      return lives;
    },
    release: (incarnation, owned) => {
      say({ kind: "releasing", incarnation, workflow: owned.workflow, at: nanos() });
      return store.release(incarnation, owned);
    },
    closeHost: (incarnation) => {
      say({ kind: "releasing", incarnation, workflow: null, at: nanos() });
      return store.closeHost(incarnation);
    },
  };
  const loseClaim = () => {
    claimIsLost = true;
  };
  return { store: replaceMethods(store, replaced), loseClaim };
}

/** A store hides its parts in private fields, so its own methods must see the store itself. */
function replaceMethods(store: Store, replaced: Replaced): Store {
  return new Proxy(store, {
    get: (target, name) => {
      const own: unknown = Reflect.get(replaced, name);
      if (own !== undefined) return own;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

async function commit(
  store: Store,
  changes: readonly Change[],
  breakage: Breakage | null,
): Promise<readonly CommitAnswer[]> {
  const sentAt = nanos();
  for (const change of changes) sayAsked(change);
  const sayAnswers = (answers: readonly CommitAnswer[]) => {
    for (const [index, change] of changes.entries()) {
      const kind = answers[index]?.kind;
      if (kind !== undefined) sayAnswered(change, kind, sentAt);
    }
  };
  if (breakage === "ack-before-commit") {
    sayAnswers(changes.map(({ expectedHead: head }) => ({ kind: "committed", head })));
    return store.commit(changes);
  }
  const answers = await store.commit(
    breakage === "ignore-epoch" ? await Promise.all(changes.map(renew)) : changes,
  );
  sayAnswers(answers);
  return answers;

  async function renew(change: Change): Promise<Change> {
    const { epoch } = await store.load(change.workflow, []);
    return { ...change, epoch };
  }
}

function sayAsked({ workflow, epoch, expectedHead: after, records }: Change): void {
  const hashes = records.map(({ hash }) => hash);
  say({ kind: "asked", workflow, epoch, after, hashes, at: nanos() });
}

function sayAnswered(change: Change, answer: CommitAnswer["kind"], sentAt: number): void {
  const { workflow, epoch, expectedHead: after, records } = change;
  const last = records.at(-1);
  if (last === undefined) return;
  const { seq, hash } = last;
  say({ kind: "answered", workflow, epoch, after, seq, hash, answer, sentAt, at: nanos() });
}
