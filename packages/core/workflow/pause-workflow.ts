import { type Rule, refuse } from "../journal/decision.ts";

export type PauseWorkflow = { readonly kind: "pause_workflow"; readonly actor: string };

/** What is in flight is finished to its outcome; nothing new is started or sent. */
export const pauseWorkflow: Rule<PauseWorkflow> = (draft, { actor }) => {
  const workflow = draft.view.find("workflows");
  if (!workflow) return refuse("workflow_not_created");
  if (workflow.status === "paused") return refuse("workflow_is_paused");
  if (workflow.status === "archived") return refuse("workflow_is_archived");
  draft.emit({ kind: "workflow_paused", actor });
  return null;
};
