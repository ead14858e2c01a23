import type { Claim } from "@holdfast/core";
import type { HeldLease } from "./held-lease.ts";

/**
 * The right to run one workflow. It ends when the workflow is put to rest or handed over, and with
 * the lease; it never comes back.
 */
export class Ownership implements Claim {
  readonly workflow: string;
  readonly epoch: number;
  readonly unclean: boolean;
  readonly #lease: HeldLease;
  #ended = false;

  constructor(claim: Claim, lease: HeldLease) {
    this.workflow = claim.workflow;
    this.epoch = claim.epoch;
    this.unclean = claim.unclean;
    this.#lease = lease;
  }

  /**
   * On the host's monotonic clock: compared with that clock as the last thing before bytes go out.
   * Moves on with every heartbeat, so ask again each time.
   */
  get mayActUntil(): number {
    return this.#ended ? Number.NEGATIVE_INFINITY : this.#lease.mayActUntil;
  }

  mayAct(): boolean {
    return !this.#ended && this.#lease.holds();
  }

  end(): void {
    this.#ended = true;
  }
}
