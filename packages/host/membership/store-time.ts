import type { Instant } from "@holdfast/core";

/** For so long two clocks that run a little differently stay close enough. */
const freshMs = 600_000;

/**
 * What a host has learnt of the store's clock, seen from its own monotonic one: a distance that
 * the store's clock is ahead by at least. So what it calls past is past, and what it waits for may
 * be found late, which the poll makes up for. Nothing safe hangs on it.
 */
export class StoreTime {
  #aheadMs: number | null = null;
  #learntAt = Number.NEGATIVE_INFINITY;

  isFresh(now: number): boolean {
    return this.#aheadMs !== null && now - this.#learntAt < freshMs;
  }

  /** The store said, at some time before `now`, that the instant had come. */
  sawPast(instant: Instant, now: number): void {
    const aheadMs = instant - now;
    const known = this.isFresh(now) ? this.#aheadMs : null;
    this.#aheadMs = known === null ? aheadMs : Math.max(known, aheadMs);
    this.#learntAt = now;
  }

  /** Nothing of it was right: the store's clock was set back. */
  forget(): void {
    this.#aheadMs = null;
  }

  /** How long until the instant has surely come; null = nobody can tell. */
  msUntil(instant: Instant, now: number): number | null {
    return this.#aheadMs === null ? null : Math.max(0, instant - this.#aheadMs - now);
  }
}
