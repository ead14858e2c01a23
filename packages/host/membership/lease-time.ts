/** When a host may act, counted on its own monotonic clock alone. */

/**
 * Given up at the end of every lease: the host's clock may run slower than the store's, and sleep
 * of the machine shows only after a second.
 */
const leaseMarginShare = 0.1;

/** Beats that fit into one lease: one may be lost without harm. */
const beatsPerLease = 3;

/** A beat that failed is tried again so many times sooner than the next one is due. */
const retriesPerBeat = 5;

/**
 * The store counts from the moment it did what it was asked, which is no earlier than the asking:
 * so counted from there, the host's lease ends first.
 */
export function actUntil(lease: { readonly askedAt: number; readonly leaseMs: number }): number {
  return lease.askedAt + lease.leaseMs * (1 - leaseMarginShare);
}

export function beatEveryMs(leaseMs: number): number {
  return leaseMs / beatsPerLease;
}

export function retryBeatMs(leaseMs: number): number {
  return beatEveryMs(leaseMs) / retriesPerBeat;
}
