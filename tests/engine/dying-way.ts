import type { Store } from "@holdfast/core";
import type { OutsideWorld } from "@holdfast/host";

const storeCalls = ["load", "commit", "peek", "readInbox", "loadBlob"];
const outsideCalls = ["send", "reconcile", "read"];

/** A host dies at one point, counted from 1: before or after one of its calls was carried out. */
export class DyingWay {
  /** What it died at; null = it lived longer. */
  diedAt: string | null = null;
  readonly #at: number;
  readonly #die: () => void;
  #points = 0;

  constructor(at: number, die: () => void) {
    this.#at = at;
    this.#die = die;
  }

  toStore(store: Store): Store {
    return this.#watched(store, storeCalls);
  }

  toOutside(outside: OutsideWorld): OutsideWorld {
    return this.#watched(outside, outsideCalls);
  }

  #watched<T extends object>(given: T, calls: readonly string[]): T {
    return new Proxy(given, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== "function") return member;
        if (!calls.includes(String(name))) return member.bind(target);
        return async (...words: unknown[]) => {
          await this.#pass(`before ${String(name)}`);
          const answer: unknown = await member.apply(target, words);
          await this.#pass(`after ${String(name)}`);
          return answer;
        };
      },
    });
  }

  /** Nothing that a dead host waits for happens any more. */
  #pass(point: string): Promise<void> | void {
    if (this.diedAt !== null) return new Promise<never>(() => {});
    this.#points += 1;
    if (this.#points !== this.#at) return;
    this.diedAt = point;
    this.#die();
    return new Promise<never>(() => {});
  }
}
