import type { Change, CommitAnswer, Store } from "@holdfast/core";
import { type Boundary, factKinds } from "./crash-point.ts";

/** Ends everything a host was doing, like SIGKILL. */
export class HostDied extends Error {
  override readonly name = "HostDied";
}

/** True = die here. */
export type OnPass = (boundary: Boundary) => boolean;

/** One life of a host: it goes to the store and to the services until it dies. */
export class HostLife {
  readonly incarnation: string;
  isDead = false;
  /** A mistake of the test itself; nobody may take it for an answer of a service. */
  failure: { readonly error: unknown } | null = null;
  /** Commands that were answered, durably, in this life. */
  readonly answered = new Set<string>();
  readonly #onPass: OnPass;

  constructor(incarnation: string, onPass: OnPass) {
    this.incarnation = incarnation;
    this.#onPass = onPass;
  }

  pass(boundary: Boundary): void {
    this.live();
    this.isDead = this.#onPass(boundary);
    this.live();
  }

  /** Ends this life with the test; whatever becomes of the error on its way, it is kept. */
  fail(error: unknown): never {
    this.failure ??= { error };
    this.isDead = true;
    throw error;
  }

  /** Whatever still runs of a dead host gets no further than this. */
  live(): void {
    if (this.isDead) throw new HostDied(`host ${this.incarnation} died`);
  }

  wayTo(store: Store): Store {
    return new Proxy(store, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== "function") return member;
        if (name === "commit") return (changes: readonly Change[]) => this.#commit(target, changes);
        return (...given: unknown[]): unknown => {
          this.live();
          return member.apply(target, given);
        };
      },
    });
  }

  async #commit(store: Store, changes: readonly Change[]): Promise<readonly CommitAnswer[]> {
    const names = factKinds(changes);
    this.pass({ when: "before", what: "commit", names });
    const answers = await store.commit(changes);
    for (const [index, { rows }] of changes.entries()) {
      if (answers[index]?.kind !== "committed") continue;
      for (const each of rows) {
        if (each.op === "insert" && each.table === "verdicts")
          this.answered.add(each.row.commandId);
      }
    }
    this.pass({ when: "after", what: "commit", names });
    return answers;
  }
}
