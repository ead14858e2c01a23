import { closeAttentions } from "../attention/attend.ts";
import { type Draft, type Rule, refuse } from "../journal/decision.ts";
import type { Refusal } from "../journal/refusal.ts";
import { invariant } from "../ports/invariant.ts";
import type { MutationRow } from "../view/rows.ts";
import { deployersOf } from "../workflow/deployers-of.ts";
import { inputsOf, runOf } from "./find-mutations.ts";

export type ApproveMutation = {
  readonly kind: "approve_mutation";
  readonly mutationId: string;
  /** Of the bytes the person was shown; others are not approved. */
  readonly payloadHash: string;
  readonly previewHash: string;
  readonly actor: string;
  /** The grants in force ask for them, as its host has judged; absent = nobody has said so. */
  readonly fourEyes?: boolean;
};

export const approveMutation: Rule<ApproveMutation> = (draft, command) => {
  const { mutationId, payloadHash, previewHash, actor } = command;
  const mutation = draft.view.find("mutations", mutationId);
  if (!mutation) return refuse("mutation_not_found");
  if (mutation.state !== "awaiting_approval") return refuse("mutation_not_awaiting_approval");
  const asked = mutation.approval;
  invariant(asked, `mutation ${mutationId} awaits an approval nobody asked for`);
  if (payloadHash !== asked.payloadHash || previewHash !== asked.previewHash) {
    const shown = `${asked.payloadHash} shown as ${asked.previewHash}`;
    const given = `${payloadHash} shown as ${previewHash}`;
    return refuse("payload_differs", `The call is ${shown}; approved was ${given}.`);
  }
  if (draft.now >= asked.expiresAt) return refuse("approval_expired");
  // What was asked for with them stays so, and grants may ask for more than when it was asked.
  const fourEyes = asked.fourEyes || command.fourEyes === true;
  const alone = fourEyes ? whySamePair(draft, mutation, actor) : null;
  if (alone) return alone;
  draft.emit({
    kind: "mutation_approved",
    mutationId,
    handler: mutation.handler,
    approval: { ...asked, fourEyes, actor, approvedAt: draft.now },
    inputs: inputsOf(draft.view, mutation.runId),
  });
  const { runId } = runOf(draft, mutation);
  draft.emit({ kind: "run_resumed", runId, fresh: true });
  closeAttentions(draft, mutationId, { actor, answer: "approve" });
  return null;
};

/**
 * Who edited the call, or deployed or proposed the version that made it or the active one, has had
 * a say already; if nobody knows who deployed one of them, nobody may.
 */
function whySamePair(draft: Draft, mutation: MutationRow, actor: string): Refusal | null {
  if (mutation.approval?.edited?.by.includes(actor)) {
    return refuse("approver_edited_it", `${actor} has edited it; somebody else has to approve it.`);
  }
  const workflow = draft.view.load("workflows");
  const { deployers, scriptHash } = runOf(draft, mutation);
  const active = deployersOf(workflow);
  // Runs from before this was written down: known if their version is still the active one.
  const made = deployers ?? (scriptHash === workflow.scriptHash ? active : null);
  const isKnown = active !== null && made !== null;
  if (isKnown && !active.includes(actor) && !made.includes(actor)) return null;
  const who = isKnown ? actor : "somebody who was not written down";
  const note = `Its version, or the active one, was deployed or proposed by ${who}; somebody else`;
  return refuse("approver_deployed_it", `${note} has to approve this call.`);
}

export function whyApprovalIsOver(draft: Draft, mutationId: string): Refusal | null {
  const approval = draft.view.load("mutations", mutationId).approval;
  return approval && draft.now >= approval.expiresAt ? refuse("approval_expired") : null;
}
