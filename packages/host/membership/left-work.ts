import type { Instant } from "@holdfast/core";
import type { Reason } from "./claim-loop.ts";
import type { HeldLease } from "./held-lease.ts";
import type { MembershipOptions } from "./membership-options.ts";
import type { MembershipPolicy } from "./membership-policy.ts";
import type { StoreCaller } from "./store-caller.ts";

type Parts = {
  readonly options: MembershipOptions;
  readonly policy: MembershipPolicy;
  readonly lease: HeldLease;
  readonly caller: StoreCaller;
  readonly look: (reason: Reason) => void;
};

type Left = {
  readonly oldest: Instant | null;
  readonly until: number;
  readonly cancel: () => void;
};

/**
 * Work beyond this host's share, which it leaves to the others for as long as they need to look
 * and to claim. If the oldest of it still lies there then, some of them do not move: they are
 * stopped, or full. For one lease this host takes all that comes, and hands nothing over; by then
 * whoever is stopped has died.
 */
export class LeftWork {
  readonly #parts: Parts;
  #left: Left | null = null;
  #othersRestUntil = Number.NEGATIVE_INFINITY;
  #hostCount = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  othersMove(): boolean {
    return this.#now() >= this.#othersRestUntil;
  }

  /** Whoever comes or goes, what was known of the others holds no longer. */
  noteHosts(count: number): void {
    if (count !== this.#hostCount) this.#othersRestUntil = Number.NEGATIVE_INFINITY;
    this.#hostCount = count;
  }

  /** Whether this host need not think of the others' shares. */
  async mayTakeAll(): Promise<boolean> {
    const left = this.#left;
    if (left !== null && this.#now() >= left.until) {
      this.cancel();
      const oldest = await this.#findOldest();
      const { leaseMs } = this.#parts.options;
      if (oldest !== null && oldest === left.oldest) this.#othersRestUntil = this.#now() + leaseMs;
    }
    return !this.othersMove();
  }

  async leave(): Promise<void> {
    if (this.#left !== null) return;
    const oldest = await this.#findOldest();
    const { options, policy, lease, look } = this.#parts;
    if (!lease.holds()) return;
    // Nobody tells the others of work that was released: they find it with their next poll.
    const graceMs = policy.pollMs + policy.graceMs;
    const cancel = options.timers.setTimer(graceMs, () => look("grace"));
    this.#left = { oldest, until: this.#now() + graceMs, cancel };
  }

  cancel(): void {
    this.#left?.cancel();
    this.#left = null;
  }

  async #findOldest(): Promise<Instant | null> {
    const { options, caller } = this.#parts;
    const oldest = await caller.call("nextDueAt", () => options.store.nextDueAt());
    return oldest.ok ? oldest.value : null;
  }

  #now(): number {
    return this.#parts.options.clock.monotonicMs();
  }
}
