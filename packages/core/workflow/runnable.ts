import { refuse } from "../journal/decision.ts";
import type { Refusal } from "../journal/refusal.ts";
import type { RunRow, WorkflowRow } from "../view/rows.ts";
import type { View } from "../view/view.ts";

/** Runnable = created, active by its user, and without an error that waits for a person. */
export function whyNotRunnable(view: View): Refusal | null {
  const workflow = view.find("workflows");
  if (!workflow) return refuse("workflow_not_created");
  if (workflow.status !== "active") {
    return refuse("workflow_not_active", `The workflow is ${workflow.status}.`);
  }
  if (workflow.error !== null) {
    return refuse("workflow_has_error", `The workflow stopped: ${workflow.error}.`);
  }
  return null;
}

/** What has changed the outside is finished even in a paused workflow: only `next` is left. */
export function whyRunMayNotGoOn(view: View, run: RunRow): Refusal | null {
  const nextIsLeft = run.retryFrom === null ? run.outcome !== null : run.retryFrom === "emitting";
  const workflow = view.find("workflows");
  const paused = workflow?.status === "paused" && workflow.error === null;
  return paused && nextIsLeft ? null : whyNotRunnable(view);
}

export function versionText(workflow: WorkflowRow): string {
  return `${workflow.versionMajor}.${workflow.versionMinor}`;
}
