import { type Rule, refuse } from "../journal/decision.ts";
import { whyNotRunnable } from "../workflow/runnable.ts";
import { findOpenProposal } from "./find-proposal.ts";
import { staleNote } from "./propose-version.ts";

export type ApplyVersion = {
  readonly kind: "apply_version";
  readonly number: number;
  /** True: as soon as nothing stands in its way; false: now or not at all. */
  readonly waits: boolean;
  readonly actor: string;
};

/** The machines are asked when it is their turn: what stands in its way, they know. */
export const applyVersion: Rule<ApplyVersion> = (draft, { number, waits, actor }) => {
  const found = findOpenProposal(draft.view, number);
  if ("code" in found) return found;
  const stopped = whyNotRunnable(draft.view);
  if (stopped) return stopped;
  if (found.status !== "approved") return refuse("proposal_not_approved");
  const workflow = draft.view.load("workflows");
  if (found.base !== workflow.scriptHash) {
    return refuse("proposal_base_stale", staleNote(found.base, workflow));
  }
  const { applying } = workflow;
  if (applying !== null && applying !== number) {
    return refuse("proposal_waits_already", `Proposal ${applying} waits to be applied.`);
  }
  draft.emit({ kind: "apply_asked", number, waits, actor });
  draft.note = `proposal ${number} is to be applied`;
  return null;
};
