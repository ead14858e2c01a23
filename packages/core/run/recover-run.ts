import { openAttention } from "../attention/attend.ts";
import { type Draft, type Rule, refuse } from "../journal/decision.ts";
import { markUncertain } from "../mutation/mark-uncertain.ts";
import type { RunRow } from "../view/rows.ts";
import { findOpenRun, unsettledMutation } from "./find-runs.ts";
import { orderRetry, retryFrom } from "./order-retry.ts";

export type RecoverRun = {
  readonly kind: "recover_run";
  /** The incarnation that now owns the workflow. */
  readonly incarnation: string;
};

/**
 * What a new owner does about the run its predecessor left open. A call that may have been sent
 * is found out about, never repeated; one recorded and not sent is simply sent; a handler that
 * died is retried; two deaths in a row are a question to a person.
 */
export const recoverRun: Rule<RecoverRun> = (draft, { incarnation }) => {
  const run = findOpenRun(draft.view);
  if (!run) return refuse("run_not_found", "No run was left open.");
  const mutation = unsettledMutation(draft.view, run.runId);
  if (mutation?.state === "in_flight") {
    const { senderIncarnation, quietFrom } = mutation;
    const overdue = draft.now >= (quietFrom ?? 0);
    const stillSending = senderIncarnation === incarnation && !overdue;
    if (stillSending) return refuse("mutation_in_flight");
    const note = `host ${mutation.senderIncarnation} stopped while it was sending`;
    markUncertain(draft, run, mutation, { kind: "recovery", says: "unknown", note, body: null });
    return null;
  }
  if (run.status !== "active") return refuse("run_not_active", `Run ${run.runId} can wait.`);
  if (mutation) return refuse("mutation_not_uncertain", "The recorded call waits to be sent.");
  recordCrash(draft, run);
  return null;
};

function recordCrash(draft: Draft, run: RunRow): void {
  const { runId, handler } = run;
  const crashCount = draft.view.load("handlers", handler).crashCount + 1;
  draft.emit({ kind: "run_crashed", runId, handler, crashCount });
  const { transientCount } = run;
  orderRetry(draft, run, retryFrom(draft.view, run), { dueAt: null, transientCount, policy: {} });
  if (crashCount < draft.view.policy.crashesInARowMax) return;
  const error = `${handler} brought the host down ${crashCount} times in a row`;
  draft.emit({ kind: "workflow_errored", error });
  openAttention(draft, "crash_loop", null, error);
}
