import { type Change, type CommitAnswer, invariant, type Store } from "@holdfast/core";

/** A change that was decided and waits at the store's door. */
export type HeldCommit = {
  readonly change: Change;
  readonly answer: (answer: CommitAnswer) => void;
};

/**
 * A store whose commits can be stopped at the door, so that deciding and storing are timed apart
 * with the very changes that a real owner makes.
 */
export class HeldCommits {
  /** What owners are given. */
  readonly store: Store;
  #held: HeldCommit[] | null = null;

  constructor(real: Store) {
    this.store = new Proxy(real, {
      get: (target, name) => {
        if (name === "commit") return (changes: readonly Change[]) => this.#commit(target, changes);
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  }

  /** From now on nothing reaches the store by itself. */
  hold(): void {
    this.#held = [];
  }

  /** Ends the holding; the caller commits these and answers each. */
  take(): readonly HeldCommit[] {
    const held = this.#held;
    invariant(held !== null, "commits are held");
    this.#held = null;
    return held;
  }

  #commit(store: Store, changes: readonly Change[]): Promise<readonly CommitAnswer[]> {
    const held = this.#held;
    if (held === null) return store.commit(changes);
    return Promise.all(
      changes.map((change) => new Promise<CommitAnswer>((answer) => held.push({ change, answer }))),
    );
  }
}
