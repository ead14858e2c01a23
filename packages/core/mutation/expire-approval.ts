import { closeAttentions } from "../attention/attend.ts";
import { type Rule, refuse } from "../journal/decision.ts";
import { pauseForPerson } from "../run/pause-run.ts";
import { runOf } from "./find-mutations.ts";
import { withdrawMutation } from "./withdraw-mutation.ts";

export type ExpireApproval = { readonly kind: "expire_approval"; readonly mutationId: string };

/**
 * Silence is no, and a yes that was not used in time is no longer one. The call is withdrawn;
 * resuming the run makes a new one that asks again.
 */
export const expireApproval: Rule<ExpireApproval> = (draft, { mutationId }) => {
  const mutation = draft.view.find("mutations", mutationId);
  if (!mutation) return refuse("mutation_not_found");
  const { state, approval } = mutation;
  const waits = state === "awaiting_approval" || state === "ready";
  if (!waits || !approval) return refuse("mutation_not_awaiting_approval");
  if (draft.now < approval.expiresAt)
    return refuse("mutation_waits", "The question is still open.");
  const message =
    state === "ready" ? "the approval ran out before it was used" : "nobody answered in time";
  withdrawMutation(draft, mutation, { actor: "host", note: message });
  closeAttentions(draft, mutationId, { actor: "host", answer: "expired" });
  const run = runOf(draft, mutation);
  if (run.status !== "active") draft.emit({ kind: "run_resumed", runId: run.runId, fresh: false });
  const failure = { class: "permission", message, location: run.handler } as const;
  pauseForPerson(draft, run, "permission", failure);
  return null;
};
