import { closeAttentions } from "../attention/attend.ts";
import { CanonicalError, type CanonicalValue, decodeCanonical } from "../canonical/index.ts";
import { resumeForOtherGrants } from "../intent/hold-intent.ts";
import { type Draft, type Rule, refuse } from "../journal/decision.ts";
import type { Refusal } from "../journal/refusal.ts";
import { admitId, admitSize } from "../policy/admit.ts";
import { findOpenRun } from "../run/find-runs.ts";
import { pinPayload } from "../view/payload.ts";
import type { Grant } from "./grant.ts";
import { encodeGrants, readGrants } from "./read-grants.ts";

export type SetEnvelope = {
  readonly kind: "set_envelope";
  /** Canonical bytes of the list of grants, all of them: what is not in it is denied. */
  readonly grants: Uint8Array;
  /** The number of the envelope that this one was made from; absent = whichever is in force. */
  readonly expects?: number | null;
  readonly actor: string;
};

/** A person lends a workflow what it may do outside, or takes it back. */
export const setEnvelope: Rule<SetEnvelope> = (draft, { grants, expects = null, actor }) => {
  const workflow = draft.view.find("workflows");
  if (!workflow) return refuse("workflow_not_created");
  if (workflow.status === "archived") return refuse("workflow_is_archived");
  if (expects !== null && expects !== workflow.envelope) {
    const note = `Made from envelope ${expects}; ${workflow.envelope} is in force.`;
    return refuse("envelope_changed", note);
  }
  const bad = putEnvelope(draft, grants, actor);
  if (bad) return bad;
  resumeForGrants(draft, actor);
  return null;
};

/**
 * The same grants as those in force are the same envelope. What machines have in the ledger goes on
 * with grants that come with a version, too: there is no run whose script a person would look at.
 */
export function putEnvelope(draft: Draft, given: Uint8Array, actor: string): Refusal | null {
  const tooMuch = admitSize("grants in bytes", given.length, draft.view.policy.envelopeBytesMax);
  if (tooMuch) return tooMuch;
  const read = grantsIn(given);
  if ("code" in read) return read;
  for (const { operation } of read) {
    const bad = admitId(draft.view.policy, "operation", operation);
    if (bad) return bad;
  }
  resumeForOtherGrants(draft, actor);
  const { payload, blob } = pinPayload(encodeGrants(read));
  const { envelope } = draft.view.load("workflows");
  const inForce = envelope === 0 ? null : draft.view.load("envelopes", envelope);
  if (inForce?.grants.hash === payload.hash) {
    draft.note = `envelope ${envelope} says exactly this already`;
    return null;
  }
  draft.store(blob);
  draft.emit({ kind: "envelope_set", number: envelope + 1, grants: payload, actor });
  draft.note = `envelope ${envelope + 1} is in force`;
  return null;
}

function grantsIn(bytes: Uint8Array): readonly Grant[] | Refusal {
  let value: CanonicalValue;
  try {
    value = decodeCanonical(bytes);
  } catch (error) {
    if (error instanceof CanonicalError) return refuse("grants_invalid", error.message);
    throw error;
  }
  const read = readGrants(value);
  return read.ok ? read.grants : refuse("grants_invalid", read.message);
}

/**
 * A run that waits for a permission or for a budget is judged anew. If it is still not allowed it
 * asks again, with what is wrong then.
 */
function resumeForGrants(draft: Draft, actor: string): void {
  const run = findOpenRun(draft.view);
  const waits = run?.status === "paused:approval" && run.retryFrom === null;
  if (!waits || (run.reason !== "permission" && run.reason !== "budget")) return;
  draft.emit({ kind: "run_resumed", runId: run.runId, fresh: true });
  closeAttentions(draft, run.runId, { actor, answer: "granted" });
}
