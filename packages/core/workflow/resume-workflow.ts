import { closeAttentions } from "../attention/attend.ts";
import { type Rule, refuse } from "../journal/decision.ts";
import { findOpenRun } from "../run/find-runs.ts";

export type ResumeWorkflow = { readonly kind: "resume_workflow"; readonly actor: string };

/** Takes back a pause and clears an error; a run the pause had stopped goes on as itself. */
export const resumeWorkflow: Rule<ResumeWorkflow> = (draft, { actor }) => {
  const workflow = draft.view.find("workflows");
  if (!workflow) return refuse("workflow_not_created");
  if (workflow.status === "archived") return refuse("workflow_is_archived");
  if (workflow.status === "active" && workflow.error === null) return refuse("workflow_is_active");
  if (workflow.status === "paused") draft.emit({ kind: "workflow_resumed", actor });
  if (workflow.error !== null) {
    draft.emit({ kind: "workflow_error_cleared", actor });
    closeAttentions(draft, null, { actor, answer: "resume" });
  }
  const run = findOpenRun(draft.view);
  if (run?.status === "paused:user") {
    draft.emit({ kind: "run_resumed", runId: run.runId, fresh: true });
  }
  return null;
};
