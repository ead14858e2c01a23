import { openAttention } from "../attention/attend.ts";
import type { Rule } from "../journal/decision.ts";
import { whyNotRunnable } from "../workflow/runnable.ts";

export type FailMachines = { readonly kind: "fail_machines"; readonly note: string };

/**
 * The machines cannot go on: their journal does not run as it was written, or their code is gone.
 * Nothing of the workflow does until a person has looked.
 */
export const failMachines: Rule<FailMachines> = (draft, { note }) => {
  const bad = whyNotRunnable(draft.view);
  if (bad) return bad;
  const error = `the machines cannot go on: ${note}`;
  draft.emit({ kind: "workflow_errored", error });
  openAttention(draft, "action_needed", null, error);
  return null;
};
