import { type Rule, refuse } from "../journal/decision.ts";
import { admitId } from "../policy/admit.ts";

export type CreateWorkflow = { readonly kind: "create_workflow"; readonly name: string };

/** The owner's first fact in an empty journal, before it looks into the inbox. */
export const createWorkflow: Rule<CreateWorkflow> = (draft, { name }) => {
  if (draft.view.find("workflows")) return refuse("workflow_exists");
  const bad = admitId(draft.view.policy, "workflow name", name);
  if (bad) return bad;
  draft.emit({ kind: "workflow_created", name });
  return null;
};
