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

/** The call of such a run; null = it is between two. */
export function callOfIntent(view: View, { mutationId }: RunRow): MutationRow | null {
  return mutationId === null ? null : view.load("mutations", mutationId);
}
