import { type Rule, refuse } from "../journal/decision.ts";
import { askAgain } from "./ask-again.ts";

export type ExpireApproval = { readonly kind: "expire_approval"; readonly mutationId: string };

/**
 * Silence is no, and a yes that was not used in time is no longer one. The call is withdrawn, and
 * the same question asked anew.
 */
export const expireApproval: Rule<ExpireApproval> = (draft, { mutationId }) => {
  const mutation = draft.view.find("mutations", mutationId);
  if (!mutation) return refuse("mutation_not_found");
  const { state, approval, verdict, connectorVersion } = mutation;
  const waits = state === "awaiting_approval" || state === "ready";
  if (!waits || !approval) return refuse("mutation_not_awaiting_approval");
  if (draft.now < approval.expiresAt)
    return refuse("mutation_waits", "The question is still open.");
  const { previewHash, preview, fourEyes } = approval;
  const expiresAt = draft.now + draft.view.policy.approvalMsMax;
  askAgain(draft, mutation, {
    ask: { previewHash, preview, fourEyes, expiresAt },
    verdict,
    connectorVersion,
    note: state === "ready" ? "the approval ran out before it was used" : "nobody answered in time",
    answer: "expired",
  });
  return null;
};
