import { type Rule, refuse } from "../journal/decision.ts";
import { findOpenProposal } from "./find-proposal.ts";
import { staleNote } from "./propose-version.ts";

export type DecideVersion = {
  readonly kind: "decide_version";
  readonly number: number;
  /** Of what was looked at. */
  readonly patchHash: string;
  readonly says: "approve" | "reject";
  readonly reason: string | null;
  readonly actor: string;
};

/** A person agrees to what was tried, or does not. A rejection may follow, until it is applied. */
export const decideVersion: Rule<DecideVersion> = (draft, command) => {
  const { number, patchHash, says, reason, actor } = command;
  const found = findOpenProposal(draft.view, number);
  if ("code" in found) return found;
  if (found.status === "submitted") return refuse("proposal_not_shadowed");
  if (patchHash !== found.body.hash) return refuse("proposal_differs");
  const workflow = draft.view.load("workflows");
  const stopsWaiting = workflow.applying === number && says === "reject";
  draft.emit({ kind: "version_decided", number, patchHash, says, reason, stopsWaiting, actor });
  // It was tried, and no more is needed to decide on it: what is refused is to apply it.
  if (says === "approve" && found.base !== workflow.scriptHash) {
    draft.note = `approved, but it cannot be applied: ${staleNote(found.base, workflow)}`;
  }
  return null;
};
