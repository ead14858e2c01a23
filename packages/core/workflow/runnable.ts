import { refuse } from "../journal/decision.ts";
import type { Refusal } from "../journal/refusal.ts";
import type { WorkflowRow } from "../view/rows.ts";
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
export function whyNotFinishable(view: View): Refusal | null {
  const bad = whyNotRunnable(view);
  return bad && view.find("workflows")?.status === "paused" && bad.code === "workflow_not_active"
    ? null
    : bad;
}

export function versionText(workflow: WorkflowRow): string {
  return `${workflow.versionMajor}.${workflow.versionMinor}`;
}
