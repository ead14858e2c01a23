/** States of one row of the ledger. `ready` means recorded and not sent. */
export const ledgerStates = [
  "awaiting_approval",
  "ready",
  "in_flight",
  "needs_reconcile",
  "indeterminate",
  "applied",
  "failed",
] as const;
export type LedgerState = (typeof ledgerStates)[number];

/**
 * The only legal edges. applied and failed are terminal: a late contradiction is evidence on the
 * row and a question to a person, never a new state. Skip is a resolution, not a state.
 */
export const ledgerStateEdges: Readonly<Record<LedgerState, readonly LedgerState[]>> = {
  awaiting_approval: ["ready", "failed"],
  ready: ["in_flight", "failed"],
  in_flight: ["applied", "failed", "ready", "needs_reconcile", "indeterminate"],
  needs_reconcile: ["needs_reconcile", "in_flight", "applied", "failed", "indeterminate"],
  indeterminate: ["needs_reconcile", "failed", "applied"],
  applied: [],
  failed: [],
};

export function isSettled(state: LedgerState): boolean {
  return state === "applied" || state === "failed";
}

/** The request may have reached the outside and nobody knows yet. */
export function isUncertain(state: LedgerState): boolean {
  return state === "in_flight" || state === "needs_reconcile" || state === "indeterminate";
}
