import { refuse } from "../journal/decision.ts";
import type { Refusal } from "../journal/refusal.ts";
import type { View } from "../view/view.ts";
import type { ProposalRow } from "./proposal-row.ts";

/** One that something can still become of. */
export function findOpenProposal(view: View, number: number): ProposalRow | Refusal {
  if (!view.find("workflows")) return refuse("workflow_not_created");
  const found = view.find("proposals", number);
  if (found === null) return refuse("proposal_not_found");
  const { status } = found;
  if (status !== "rejected" && status !== "applied") return found;
  return refuse("proposal_is_final", `Proposal ${number} is ${status}.`);
}
