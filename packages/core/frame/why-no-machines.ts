import { refuse } from "../journal/decision.ts";
import type { Refusal } from "../journal/refusal.ts";
import type { View } from "../view/view.ts";

/** A version with machines brings them an input, so whoever never had one has no machines. */
export function whyNoMachines(view: View): Refusal | null {
  const workflow = view.find("workflows");
  if (!workflow) return refuse("workflow_not_created");
  return workflow.machineInputSeq === 0 ? refuse("workflow_has_no_machines") : null;
}
