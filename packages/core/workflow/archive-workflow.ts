import { type Rule, refuse } from "../journal/decision.ts";
import { findOpenRun } from "../run/find-runs.ts";

export type ArchiveWorkflow = { readonly kind: "archive_workflow"; readonly actor: string };

/** Out of sight and never run again; nothing is deleted. */
export const archiveWorkflow: Rule<ArchiveWorkflow> = (draft, { actor }) => {
  const workflow = draft.view.find("workflows");
  if (!workflow) return refuse("workflow_not_created");
  if (workflow.status === "archived") return refuse("workflow_is_archived");
  const run = findOpenRun(draft.view);
  if (run) return refuse("workflow_has_open_run", `Run ${run.runId} is still open.`);
  draft.emit({ kind: "workflow_archived", actor });
  return null;
};
