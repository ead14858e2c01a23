import type { Policy, Store } from "@holdfast/core";
import type { MonotonicClock, Timers } from "../membership/time.ts";
import type { EngineClock } from "./ports.ts";

type Parts = {
  readonly store: Pick<Store, "pruneTraces">;
  readonly clock: EngineClock;
  readonly monotonic: MonotonicClock;
  readonly timers: Timers;
  readonly policy: Policy;
  readonly onTrouble: (cause: unknown) => void;
};

/** Old traces harm nobody for so long. */
const everyMs = 3_600_000;
/** At once, and then again after a pause: the work of others comes in between. */
const tracesAtOnce = 500;
const pauseMs = 100;

/** Forgets old traces beside the work. Asked whenever there is some; it seldom has to act. */
export class TracePruning {
  readonly #parts: Parts;
  #nextMs = Number.NEGATIVE_INFINITY;
  #underWay: Promise<void> = Promise.resolve();
  #isStopping = false;
  #endPause: () => void = () => {};

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  maybeBegin(): void {
    const { monotonic, onTrouble } = this.#parts;
    const nowMs = monotonic.monotonicMs();
    if (this.#isStopping || nowMs < this.#nextMs) return;
    this.#nextMs = nowMs + everyMs;
    const before = this.#underWay;
    // What could not be forgotten now is so next time.
    this.#underWay = before.then(() => this.#prune()).catch(onTrouble);
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#endPause();
    await this.#underWay;
  }

  async #prune(): Promise<void> {
    const { store, clock, policy } = this.#parts;
    const before = clock.now() - policy.traceKeptMs;
    while (!this.#isStopping) {
      const count = await store.pruneTraces(before, tracesAtOnce);
      if (count < tracesAtOnce) return;
      await this.#pause();
    }
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#parts.timers.setTimer(pauseMs, resolve);
      this.#endPause = () => {
        cancel();
        resolve();
      };
    });
  }
}
