export const runStatuses = [
  "active",
  "paused:transient",
  "paused:approval",
  "paused:reconciliation",
  "paused:user",
  "failed:logic",
  "failed:internal",
  "aborted",
  "committed",
  "crashed",
] as const;
export type RunStatus = (typeof runStatuses)[number];

export type PausedStatus = Extract<RunStatus, `paused:${string}`>;
export type FailedStatus = Extract<RunStatus, `failed:${string}`>;

/** Why a paused run waits. Closed, so that every wait can be put into words. */
export const pauseReasons = [
  "backoff",
  "rate_limit",
  "approval",
  "auth",
  "permission",
  "precondition",
  "budget",
  "brake",
  "uncertain",
  "user",
] as const;
export type PauseReason = (typeof pauseReasons)[number];

const pauses = [
  "paused:transient",
  "paused:approval",
  "paused:reconciliation",
  "paused:user",
] as const satisfies readonly PausedStatus[];

/**
 * A paused run resumes as itself; a failed or crashed one is followed by a new run. A run that
 * was superseded keeps the status it stopped with: it says why it stopped.
 */
export const runStatusEdges: Readonly<Record<RunStatus, readonly RunStatus[]>> = {
  active: [...pauses, "failed:logic", "failed:internal", "aborted", "committed", "crashed"],
  "paused:transient": ["active", "aborted"],
  "paused:approval": ["active", "aborted"],
  "paused:reconciliation": ["active", "aborted"],
  "paused:user": ["active", "aborted"],
  "failed:logic": ["aborted"],
  "failed:internal": ["aborted"],
  crashed: ["aborted"],
  aborted: [],
  committed: [],
};

export function isPaused(status: RunStatus): status is PausedStatus {
  return status.startsWith("paused:");
}
