import { HostError, type Store } from "@holdfast/core";

/** Calls that work for a workflow makes. */
const allCalls: readonly (keyof Store)[] = ["load", "commit", "peek", "readInbox", "loadBlob"];

/** A way to the store on which one call, counted from 1, fails before or after the store acted. */
export class FailingWay {
  callCount = 0;
  readonly #at: number;
  readonly #when: "before" | "after";

  readonly #calls: readonly (keyof Store)[];

  constructor(at: number, when: "before" | "after", calls = allCalls) {
    this.#at = at;
    this.#when = when;
    this.#calls = calls;
  }

  to(store: Store): Store {
    return new Proxy(store, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== "function" || !this.#calls.includes(name as keyof Store))
          return member;
        return async (...given: unknown[]) => {
          this.callCount += 1;
          const fails = this.callCount === this.#at;
          if (fails && this.#when === "before") throw unreachable();
          const answer: unknown = await member.apply(target, given);
          if (fails) throw unreachable();
          return answer;
        };
      },
    });
  }
}

export function unreachable(): HostError {
  return new HostError("STORE_UNREACHABLE", { what: "The line was cut.", remedy: "Wait." });
}
