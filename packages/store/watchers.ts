import type { Wake } from "@holdfast/core";

type OnWake = (wake: Wake) => void;

/**
 * Who wants to hear of appended commands. Each is called on its own, later than the call that
 * caused it: one that throws ends neither the append nor the others, and its error is not hidden.
 */
export class Watchers {
  readonly #listeners = new Set<{ readonly onWake: OnWake }>();
  readonly #defer: (call: () => void) => void;

  constructor(defer: (call: () => void) => void = queueMicrotask) {
    this.#defer = defer;
  }

  get isEmpty(): boolean {
    return this.#listeners.size === 0;
  }

  /** The same function twice is two listeners. */
  add(onWake: OnWake): () => void {
    const listener = { onWake };
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  wake(wake: Wake): void {
    for (const listener of this.#listeners) {
      this.#defer(() => {
        // It may have ended meanwhile.
        if (this.#listeners.has(listener)) listener.onWake(wake);
      });
    }
  }

  endAll(): void {
    this.#listeners.clear();
  }
}
