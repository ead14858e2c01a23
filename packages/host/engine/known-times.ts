import type { Instant } from "@holdfast/core";

/**
 * How late it is at least, by workflow, on this process's own clock: since it last saw the wall
 * clock, or the time of a record, that much has passed, whatever a wall clock that was set back
 * shows since. Nothing becomes due by it; it only ends what must not be done too late. Lives as
 * long as the process: what passed while none ran, nobody here can know.
 */
export class KnownTimes {
  /** Of the latest moment, its distance from the monotonic clock: a number for each workflow. */
  readonly #aheadMs = new Map<string, number>();

  saw(workflow: string, at: Instant, monotonicMs: number): void {
    const before = this.#aheadMs.get(workflow) ?? Number.NEGATIVE_INFINITY;
    this.#aheadMs.set(workflow, Math.max(before, at - monotonicMs));
  }

  /** Zero = this process has not seen it. */
  atLeast(workflow: string, monotonicMs: number): Instant {
    const aheadMs = this.#aheadMs.get(workflow);
    return aheadMs === undefined ? 0 : Math.ceil(aheadMs + monotonicMs);
  }
}
