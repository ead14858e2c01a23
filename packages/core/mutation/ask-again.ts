import { closeAttentions, openAttention } from "../attention/attend.ts";
import type { Verdict } from "../grant/grant.ts";
import { forgetHold } from "../intent/hold-intent.ts";
import type { Draft } from "../journal/decision.ts";
import { invariant } from "../ports/invariant.ts";
import { nextCallNo } from "../run/find-runs.ts";
import { pause } from "../run/pause.ts";
import type { MutationRow } from "../view/rows.ts";
import { inputsOf, operationOf, runOf } from "./find-mutations.ts";
import type { Ask, RecordedCall } from "./mutation-facts.ts";
import { intentHashOf } from "./mutation-key.ts";
import { withdrawMutation } from "./withdraw-mutation.ts";

/**
 * The same bytes once more, for a person to say yes or no to; no script is run for it. The row
 * there was is withdrawn, because an approval belongs to one row and a guard goes only with it.
 */
export function askAgain(
  draft: Draft,
  mutation: MutationRow,
  how: {
    readonly ask: Ask;
    readonly verdict: Verdict | null;
    /** By the grants in force; null or absent = what the row there was says. */
    readonly amount?: number | null;
    readonly connectorVersion: string;
    /** Why the row there was is of no more use. */
    readonly note: string;
    /** What the question there was is closed with. */
    readonly answer: string;
  },
): void {
  const { mutationId, runId } = mutation;
  withdrawMutation(draft, mutation, { actor: "host", note: how.note });
  closeAttentions(draft, mutationId, { actor: "host", answer: how.answer });
  const amount = how.amount ?? mutation.amount;
  const same = sameCall(draft, mutation, how.connectorVersion);
  const call = { ...same, verdict: how.verdict, amount };
  const approval = {
    ...how.ask,
    payloadHash: call.payloadHash,
    actor: null,
    approvedAt: null,
    ...(mutation.approval?.edited === undefined ? {} : { edited: mutation.approval.edited }),
  };
  const inputs = inputsOf(draft.view, runId);
  draft.emit({ kind: "mutation_recorded", call, state: "awaiting_approval", approval, inputs });
  pauseForApproval(draft, call, how.note);
}

function sameCall(draft: Draft, mutation: MutationRow, connectorVersion: string): RecordedCall {
  const { timeoutMs, mutationKey, payloadHash, connection } = mutation;
  invariant(timeoutMs !== null, "a recorded call has a timeout");
  return {
    mutationId: `m${draft.nextSeq}`,
    runId: mutation.runId,
    handler: mutation.handler,
    scopeId: mutation.scopeId,
    attempt: mutation.attempt,
    callNo: nextCallNo(draft.view, runOf(draft, mutation)),
    connection,
    operation: mutation.operation,
    connectorVersion,
    target: mutation.target,
    identity: mutation.identity,
    payload: mutation.payload,
    mutationKey,
    payloadHash,
    intentHash: intentHashOf({ mutationKey, payloadHash, connection, connectorVersion }),
    providerKey: mutation.providerKey,
    canReconcile: mutation.canReconcile,
    retentionMs: mutation.retentionMs,
    visibilityDelayMs: mutation.visibilityDelayMs,
    uiTitle: mutation.uiTitle,
    verdict: mutation.verdict,
    amount: mutation.amount,
    itemId: mutation.itemId,
    subkey: mutation.subkey,
    // What the script asked for, where a person has edited it: a replay asks for that again.
    acceptedHash: mutation.acceptedHash,
    preview: mutation.preview,
    timeoutMs,
  };
}

/** `why` null = it is asked for the first time. */
export function pauseForApproval(draft: Draft, call: RecordedCall, why: string | null): void {
  const mutation = draft.view.load("mutations", call.mutationId);
  const run = runOf(draft, mutation);
  if (run.status !== "paused:approval" || run.reason !== "approval") {
    if (run.status !== "active") {
      draft.emit({ kind: "run_resumed", runId: run.runId, fresh: false });
    }
    pause(draft, run, { status: "paused:approval", reason: "approval" });
    forgetHold(draft, run);
  }
  const asked = `${operationOf(mutation)} on ${call.target}`;
  const note = why === null ? asked : `${asked} (asked again: ${why})`;
  openAttention(draft, "approval", call.mutationId, note);
}
