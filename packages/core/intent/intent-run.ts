import type { MutationRow, RunRow } from "../view/rows.ts";
import type { View } from "../view/view.ts";

/** What the run of a machine's intent says as its reason. */
export const intentTrigger = "intent";

/** Whether it is the run of a machine's intent: not open, and ended when the ledger is done. */
export function isOfIntent({ trigger, retryOf }: Pick<RunRow, "trigger" | "retryOf">): boolean {
  return trigger === intentTrigger && retryOf === null;
}

/** Every intent that the ledger is not done with, oldest first. */
export function openIntentRuns(view: View): RunRow[] {
  return [...view.rows("runs")]
    .filter((run) => isOfIntent(run) && run.endedAt === null)
    .sort((a, b) => a.asOf - b.asOf);
}

/** The run whose call it waits for, having none of its own; null = it has, or is to have. */
export function joinedRun(view: View, run: RunRow): RunRow | null {
  const isJoined = isOfIntent(run) && run.rootRunId !== run.runId;
  return isJoined ? view.load("runs", run.rootRunId) : null;
}

/** The call of such a run; null = it is between two, or waits for another's. */
export function callOfIntent(view: View, { mutationId }: RunRow): MutationRow | null {
  return mutationId === null ? null : view.load("mutations", mutationId);
}
