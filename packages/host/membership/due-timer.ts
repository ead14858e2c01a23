import type { Instant } from "@holdfast/core";
import type { Reason } from "./claim-loop.ts";
import type { HeldLease } from "./held-lease.ts";
import type { MembershipOptions } from "./membership-options.ts";
import type { StoreCaller } from "./store-caller.ts";
import { StoreTime } from "./store-time.ts";

type Parts = {
  readonly options: MembershipOptions;
  readonly lease: HeldLease;
  readonly caller: StoreCaller;
  readonly look: (reason: Reason) => void;
};

/** A timer beyond this is set again when it ends: clocks drift, and timers have an upper bound. */
const timerMsMax = 600_000;

/**
 * Looks when the next work falls due. When that is stands on the store's clock, so it is not known
 * before something has shown how that clock stands: until then, the poll finds the work.
 */
export class DueTimer {
  readonly #parts: Parts;
  readonly #storeTime = new StoreTime();
  #cancel = (): void => {};

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Called while work waits, soon after it came: then it is due just now by the store's clock. */
  async learn(): Promise<void> {
    const { options, caller } = this.#parts;
    const { store, clock } = options;
    if (this.#storeTime.isFresh(clock.monotonicMs())) return;
    const dueAt = await caller.call("nextDueAt", () => store.nextDueAt());
    if (dueAt.ok && dueAt.value !== null) {
      this.#storeTime.sawPast(dueAt.value, clock.monotonicMs());
    }
  }

  /** Called when nothing waits. */
  async set(): Promise<void> {
    this.#cancel();
    const { options, lease, caller, look } = this.#parts;
    const dueAt = await caller.call("nextDueAt", () => options.store.nextDueAt());
    if (!dueAt.ok || dueAt.value === null || !lease.holds()) return;
    // Due, and yet nothing waited a moment ago: one more look tells whether it came in between.
    if (this.#msUntil(dueAt.value) === 0) look("unsure");
    else this.#wait(dueAt.value);
  }

  #wait(dueAt: Instant): void {
    const { options, look } = this.#parts;
    const ms = this.#msUntil(dueAt);
    if (ms === null) return;
    const onTime = ms > timerMsMax ? () => this.#wait(dueAt) : () => look("due");
    this.#cancel = options.timers.setTimer(Math.min(Math.ceil(ms), timerMsMax), onTime);
  }

  #msUntil(dueAt: Instant): number | null {
    return this.#storeTime.msUntil(dueAt, this.#parts.options.clock.monotonicMs());
  }

  /** The store's clock is not where it was thought to be. */
  forget(): void {
    this.#storeTime.forget();
  }

  cancel(): void {
    this.#cancel();
  }
}
