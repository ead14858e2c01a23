import { type Rule, refuse } from "../journal/decision.ts";

export type RestoreWorkflow = { readonly kind: "restore_workflow"; readonly actor: string };

/** Back from the archive, paused: nothing starts before a person says so. */
export const restoreWorkflow: Rule<RestoreWorkflow> = (draft, { actor }) => {
  const workflow = draft.view.find("workflows");
  if (!workflow) return refuse("workflow_not_created");
  if (workflow.status === "active") return refuse("workflow_is_active");
  if (workflow.status === "paused") return refuse("workflow_is_paused");
  draft.emit({ kind: "workflow_restored", actor });
  return null;
};
