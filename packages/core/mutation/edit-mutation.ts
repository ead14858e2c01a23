import { closeAttentions } from "../attention/attend.ts";
import { type Draft, type Rule, refuse } from "../journal/decision.ts";
import type { Refusal } from "../journal/refusal.ts";
import { invariant } from "../ports/invariant.ts";
import { heldEvents } from "../run/find-runs.ts";
import type { Approval, MutationRow, RunRow } from "../view/rows.ts";
import { pauseForApproval } from "./ask-again.ts";
import { inputsOf, runOf } from "./find-mutations.ts";
import type { Ask } from "./mutation-facts.ts";
import {
  type CallKeys,
  type CallToRecord,
  isFirstToHold,
  keysOf,
  liveMutationWithKey,
  recordedCall,
  whyNotAdmitted,
} from "./record-mutation.ts";
import { whyOtherEnvelope } from "./send-mutation.ts";
import { withdrawMutation } from "./withdraw-mutation.ts";

export type EditMutation = Omit<CallToRecord, "connection" | "operation"> & {
  readonly kind: "edit_mutation";
  readonly mutationId: string;
  /** Of the bytes the person was shown and has changed; others are not edited. */
  readonly editedHash: string;
  readonly ask: Ask;
  readonly actor: string;
};

/**
 * A person has changed the parameters of a call that waits for an approval. It is another call
 * from then on: what waited is withdrawn, and the edited one asked about, whatever grants would
 * say of it. No script is run; the run goes on with the result of what was edited.
 */
export const editMutation: Rule<EditMutation> = (draft, command) => {
  const { mutationId, actor, editedHash } = command;
  const mutation = draft.view.find("mutations", mutationId);
  if (!mutation) return refuse("mutation_not_found");
  if (mutation.state !== "awaiting_approval") return refuse("mutation_not_awaiting_approval");
  const asked = mutation.approval;
  invariant(asked, `mutation ${mutationId} awaits an approval nobody asked for`);
  if (editedHash !== asked.payloadHash) {
    return refuse("payload_differs", `The call is ${asked.payloadHash}; edited was ${editedHash}.`);
  }
  const { connection, operation } = mutation;
  const edited: CallToRecord = { ...command, connection, operation };
  const bad = whyNotAdmitted(draft, edited) ?? whyOtherEnvelope(draft.view, command.verdict);
  if (bad) return bad;
  withdrawMutation(draft, mutation, { actor, note: `edited by ${actor}`, kind: "edited" });
  closeAttentions(draft, mutationId, { actor, answer: "edit" });
  return recordEdited(draft, { mutation, asked, edited, command });
};

type Editing = {
  readonly mutation: MutationRow;
  readonly asked: Approval;
  readonly edited: CallToRecord;
  readonly command: EditMutation;
};

/** The script will ask for what it asked for before: for its item, this is that call. */
function sameKeys({ scopeId, attempt, mutationKey }: MutationRow): CallKeys {
  return { scopeId, attempt, mutationKey };
}

function inItem({ itemId, subkey, uiTitle, acceptedHash, payloadHash }: MutationRow) {
  return { itemId, subkey, uiTitle, acceptedHash: acceptedHash ?? payloadHash };
}

function editedKeys(draft: Draft, run: RunRow, edited: CallToRecord): CallKeys | Refusal {
  const events = heldEvents(draft.view, run.runId);
  const keys = keysOf(draft.view.workflow, { run, events, command: edited });
  const isFirst = isFirstToHold(run, events);
  const taken = liveMutationWithKey(draft, keys.mutationKey, { isFirst });
  if (taken === null) return keys;
  return refuse("mutation_key_taken", `Mutation ${taken} is for the same inputs.`);
}

function recordEdited(draft: Draft, { mutation, asked, edited, command }: Editing) {
  const run = runOf(draft, mutation);
  const isItem = mutation.itemId !== null;
  const keys = isItem ? sameKeys(mutation) : editedKeys(draft, run, edited);
  if ("code" in keys) return keys;
  const recorded = recordedCall(draft, run, edited, keys);
  const call = isItem ? { ...recorded, ...inItem(mutation) } : recorded;
  const { payloadHash } = call;
  if (payloadHash === asked.payloadHash) return refuse("nothing_edited");
  const { ask, actor } = command;
  const by = [...new Set([...(asked.edited?.by ?? []), actor])];
  const approval: Approval = {
    ...ask,
    // What two people had to look at stays so, whatever it is changed to.
    fourEyes: ask.fourEyes || asked.fourEyes,
    payloadHash,
    actor: null,
    approvedAt: null,
    edited: { from: mutation.mutationId, by },
  };
  const inputs = inputsOf(draft.view, run.runId);
  draft.emit({ kind: "mutation_recorded", call, state: "awaiting_approval", approval, inputs });
  pauseForApproval(draft, call, `edited by ${actor}`);
  return null;
}
