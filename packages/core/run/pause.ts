import { failItem } from "../item/find-items.ts";
import type { Draft } from "../journal/decision.ts";
import type { PolicyUse } from "../policy/policy.ts";
import type { Instant, RunFailure, RunRow } from "../view/rows.ts";
import type { PausedStatus, PauseReason } from "./run-status.ts";

export type Pause = {
  readonly status: PausedStatus;
  readonly reason: PauseReason;
  /** Absent = waits for a person or an outcome. */
  readonly dueAt?: Instant | null;
  readonly failure?: RunFailure;
  /** Values that say for how long; absent = none has a part in it. */
  readonly policy?: PolicyUse;
  /** Absent = no try was used up. */
  readonly transientCount?: number;
};

/** Reasons that are failures of what the handler did; the others only make it wait. */
const failing: ReadonlySet<PauseReason> = new Set([
  "backoff",
  "auth",
  "permission",
  "precondition",
]);

/** The run stops where it is, keeps its phase and its events, and says why it waits. */
export function pause(draft: Draft, run: RunRow, why: Pause): void {
  const { status, reason, dueAt = null, failure = null, policy = {} } = why;
  if (failure !== null && failing.has(reason)) failItem(draft, run);
  const transientCount = why.transientCount ?? run.transientCount;
  const { runId } = run;
  const paused = { runId, status, reason, dueAt, transientCount, failure, policy };
  draft.emit({ kind: "run_paused", ...paused });
}
