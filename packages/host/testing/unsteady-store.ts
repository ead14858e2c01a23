import type { Store } from "@holdfast/core";

type Method = keyof Store;

/**
 * One process's way to a store that others use too. It counts the calls, and it can be cut off, be
 * slow, lose answers or lose wake-ups.
 */
export class UnsteadyStore {
  readonly calls: Method[] = [];
  /** Listeners that have not ended. */
  watchCount = 0;
  readonly store: Store;
  #failures = new Map<Method | "all", { readonly cause: unknown; readonly lands: boolean }>();
  #slow = new Map<Method, Promise<void>>();
  #isDeaf = false;

  constructor(store: Store) {
    this.store = new Proxy(store, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== "function") return member;
        if (name === "watch") return this.#watch(target);
        return this.#callOf(name as Method, member.bind(target));
      },
    });
  }

  /** The calls since the last time, by name. */
  takeCalls(): Readonly<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const call of this.calls.splice(0)) counts[call] = (counts[call] ?? 0) + 1;
    return counts;
  }

  countOf(method: Method): number {
    return this.calls.filter((call) => call === method).length;
  }

  /** `lands`: it is done, and only its answer is lost. */
  fail(method: Method | "all", cause: unknown, { lands = false } = {}): void {
    this.#failures.set(method, { cause, lands });
  }

  mend(): void {
    this.#failures = new Map();
  }

  loseWakes(): void {
    this.#isDeaf = true;
  }

  hearWakes(): void {
    this.#isDeaf = false;
  }

  /** The store answers at once; the answer is on its way until the test lets it arrive. */
  delay(method: Method): () => void {
    let arrive = (): void => {};
    const arrival = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    this.#slow.set(method, arrival);
    return () => {
      this.#slow.delete(method);
      arrive();
    };
  }

  #watch(target: Store): Store["watch"] {
    return (onWake) => {
      const end = target.watch((wake) => {
        if (!this.#isDeaf) onWake(wake);
      });
      this.watchCount += 1;
      return () => {
        this.watchCount -= 1;
        end();
      };
    };
  }

  #callOf(method: Method, call: (...args: unknown[]) => Promise<unknown>) {
    return async (...args: unknown[]) => {
      this.calls.push(method);
      const failure = this.#failures.get(method) ?? this.#failures.get("all");
      const arrival = this.#slow.get(method);
      if (failure === undefined || failure.lands) {
        const answer = await call(...args);
        await arrival;
        if (failure === undefined) return answer;
      }
      throw failure.cause;
    };
  }
}
