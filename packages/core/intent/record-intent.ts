import { receiveInput } from "../frame/machine-input.ts";
import { type Draft, type Rule, refuse } from "../journal/decision.ts";
import type { Refusal } from "../journal/refusal.ts";
import { pauseForApproval } from "../mutation/ask-again.ts";
import { isSettled } from "../mutation/ledger-state.ts";
import type { Ask } from "../mutation/mutation-facts.ts";
import { machineScope, mutationKeyOf } from "../mutation/mutation-key.ts";
import {
  type CallKeys,
  type CallToRecord,
  liveMutationWithKey,
  recordedCall,
  whyNotAdmitted,
} from "../mutation/record-mutation.ts";
import { whyOtherEnvelope } from "../mutation/send-mutation.ts";
import { admitTitle } from "../policy/admit.ts";
import { runIdAt } from "../run/start-run.ts";
import type { EventRef } from "../topic/topic-facts.ts";
import { pinPayload } from "../view/payload.ts";
import type { MutationRow, RunRow } from "../view/rows.ts";
import { deployersOf } from "../workflow/deployers-of.ts";
import { versionText } from "../workflow/runnable.ts";

export type OriginOfIntent = {
  readonly intentId: string;
  readonly machine: string;
  /** Canonical bytes; null = the machine has one cell. */
  readonly cellKey: Uint8Array | null;
  /** What the step asked to be told apart by; null = by the intent itself. */
  readonly requestedKey: string | null;
  readonly title: string;
  /** The event of a topic that led to it in the end; absent = none that is known did. */
  readonly event?: EventRef;
};

export type RecordIntent = CallToRecord &
  OriginOfIntent & {
    readonly kind: "record_intent";
    /** null = a grant allows it; otherwise a person is asked, until this time. */
    readonly ask: Ask | null;
    /** What asks for it is from before a restore, or came of something that is. */
    readonly older: boolean;
    /** Hash of a call under the same key that its connector takes for this one; absent = none. */
    readonly like?: string;
  };

/**
 * The call of a machine's intent, in the ledger with the change that records the intent. What
 * cannot be recorded is a definite failure: nothing was sent, and the machine is told.
 */
export const recordIntent: Rule<RecordIntent> = (draft, command) => {
  const { intentId } = command;
  if (!draft.view.find("workflows")) return refuse("workflow_not_created");
  const other = whyOtherEnvelope(draft.view, command.verdict);
  if (other) return other;
  const keys = intentKeysOf(draft.view.workflow, command);
  const taken = takenBy(draft, command, keys);
  if (taken !== null && isSame(taken, command)) {
    const { mutationId, runId } = taken;
    if (isOver(taken)) {
      receiveInput(draft, { kind: "outcome", intentId, mutationId, failure: null });
    } else openRun(draft, command, { joins: runId });
    return null;
  }
  const bad = whyNotAdmitted(draft, command) ?? whyTaken(taken);
  if (bad === null) {
    open(draft, command, keys);
    return null;
  }
  const failure = { code: bad.code, message: bad.note };
  receiveInput(draft, { kind: "outcome", intentId, mutationId: null, failure });
  return null;
};

export type RefuseIntent = {
  readonly kind: "refuse_intent";
  readonly intentId: string;
  readonly failure: { readonly code: string; readonly message: string };
};

/** It can or may not be done; the ledger has no row of it. */
export const refuseIntent: Rule<RefuseIntent> = (draft, { intentId, failure }) => {
  if (!draft.view.find("workflows")) return refuse("workflow_not_created");
  receiveInput(draft, { kind: "outcome", intentId, mutationId: null, failure });
  return null;
};

/** Of a cell: two calls under one requested key are one change. */
export function intentKeysOf(
  workflow: string,
  command: Pick<RecordIntent, "connector" | "target" | "operation" | "identity"> & OriginOfIntent,
): CallKeys {
  const { connector, target, operation, identity, requestedKey, intentId } = command;
  const scopeId = machineScope(workflow, command.machine, command.cellKey);
  const identityHash = pinPayload(identity).payload.hash;
  const subkey = requestedKey === null ? intentId : `key ${requestedKey}`;
  const parts = { scopeId, attempt: 1, connector, target, operation, identityHash, subkey };
  return { scopeId, attempt: 1, mutationKey: mutationKeyOf(parts) };
}

/** Only a requested key can be there twice: an intent is in its frame once. */
function takenBy(
  draft: Draft,
  { requestedKey }: RecordIntent,
  { mutationKey }: CallKeys,
): MutationRow | null {
  if (requestedKey === null) return null;
  const taken = liveMutationWithKey(draft, mutationKey, { isFirst: false });
  return taken === null ? null : draft.view.load("mutations", taken);
}

/** The same bytes under the same key, also if a person has edited what the first one asked for. */
function isSame(
  { payloadHash, acceptedHash }: MutationRow,
  { payload, like }: RecordIntent,
): boolean {
  const { hash } = pinPayload(payload).payload;
  return hash === payloadHash || hash === acceptedHash || like === payloadHash;
}

/** What came of it is what comes of the next one under its key; until then that one waits. */
function isOver({ state, resolution }: MutationRow): boolean {
  return isSettled(state) || resolution?.kind === "skip";
}

function whyTaken(taken: MutationRow | null): Refusal | null {
  if (taken === null) return null;
  const { mutationId, subkey, state } = taken;
  const note = `${mutationId} of the same cell has the key ${subkey} and is ${state}.`;
  return refuse("mutation_key_taken", note);
}

function open(draft: Draft, command: RecordIntent, keys: CallKeys): void {
  const { intentId, ask, verdict, requestedKey } = command;
  const run = openRun(draft, command);
  const within = { itemId: intentId, subkey: requestedKey };
  const call = recordedCall(draft, run, command, keys, within);
  const approval = ask && { ...ask, payloadHash: call.payloadHash, actor: null, approvedAt: null };
  const state = ask ? "awaiting_approval" : "ready";
  draft.emit({ kind: "mutation_recorded", call, state, approval, inputs: [] });
  draft.expect(verdict.budget);
  if (ask) pauseForApproval(draft, call, null);
}

/** `joins` is the run whose call stands under its key; absent = it has one of its own. */
function openRun(
  draft: Draft,
  { intentId, machine, title, older, event }: RecordIntent,
  of: { readonly joins?: string } = {},
): RunRow {
  const workflow = draft.view.load("workflows");
  const runId = runIdAt(draft.nextSeq);
  draft.emit({
    kind: "intent_opened",
    runId,
    intentId,
    machine,
    title: admitTitle(draft.view.policy, title),
    version: versionText(workflow),
    scriptHash: workflow.scriptHash,
    deployers: deployersOf(workflow),
    older,
    ...(event === undefined ? {} : { event }),
    ...of,
  });
  return draft.view.load("runs", runId);
}
