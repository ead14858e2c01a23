import type { Verdict } from "../grant/grant.ts";
import { isDone, itemOfRun } from "../item/find-items.ts";
import { type Draft, type Rule, refuse } from "../journal/decision.ts";
import type { Refusal } from "../journal/refusal.ts";
import { admitId, admitSize, admitTitle } from "../policy/admit.ts";
import type { Policy } from "../policy/policy.ts";
import { invariant } from "../ports/invariant.ts";
import type { Ran } from "../run/active-time.ts";
import { advance } from "../run/advance.ts";
import {
  activeRunNamed,
  heldEvents,
  isUnsettled,
  mutationsOf,
  nextCallNo,
} from "../run/find-runs.ts";
import { pinPayload } from "../view/payload.ts";
import type { EventRow, MutationRow, RunRow } from "../view/rows.ts";
import { pauseForApproval } from "./ask-again.ts";
import { inputsOf } from "./find-mutations.ts";
import { itemKeysOf } from "./item-keys.ts";
import type { Ask, RecordedCall } from "./mutation-facts.ts";
import { consumerScope, intentHashOf, mutationKeyOf, providerKeyOf } from "./mutation-key.ts";
import { whyOtherEnvelope } from "./send-mutation.ts";

/** All the ledger has to know of a call, as the host has described and judged it. */
export type CallToRecord = {
  readonly connector: string;
  readonly connection: string;
  readonly connectorVersion: string;
  readonly operation: string;
  readonly target: string;
  /** Canonical bytes of the parameters that say which change this is. */
  readonly identity: Uint8Array;
  /** Canonical bytes of the whole call. */
  readonly payload: Uint8Array;
  readonly canReconcile: boolean;
  readonly retentionMs: number | null;
  readonly visibilityDelayMs: number | null;
  /** How long the operation may take, whoever sends it and whenever. */
  readonly timeoutMs: number;
  /** What it was judged by, and in force when it is recorded. */
  readonly verdict: Verdict;
  /** Counted against limits, in ten-thousandths; null = nothing is. */
  readonly amount: number | null;
  /** What it would do, in one line by its connector; absent = that is said in what is asked. */
  readonly described?: string;
};

export type RecordMutation = CallToRecord &
  Ran & {
    readonly kind: "record_mutation";
    readonly runId: string;
    /** null = a grant allows it; otherwise a person is asked, until this time. */
    readonly ask: Ask | null;
    /** Of a call in an item that has another like it; absent = there is none. */
    readonly subkey?: string | null;
  };

/** The complete call becomes durable before anything of it can be sent. */
export const recordMutation: Rule<RecordMutation> = (draft, command) => {
  const run = activeRunNamed(draft, command.runId);
  if ("code" in run) return run;
  const calls = mutationsOf(draft.view, run.runId);
  const scope = run.kind === "job" ? itemScopeOf(draft, run) : eventScopeOf(draft, run);
  if ("code" in scope) return scope;
  const bad =
    whyNotAdmitted(draft, command) ??
    (command.subkey ? admitId(draft.view.policy, "subkey", command.subkey) : null) ??
    whySecondCall(run, calls) ??
    whyOtherEnvelope(draft.view, command.verdict);
  if (bad) return bad;
  const keys = scope.keysOf(command);
  const taken = liveMutationWithKey(draft, keys.mutationKey, scope);
  if (taken) return refuse("mutation_key_taken", `Mutation ${taken} is for the same inputs.`);
  if (run.phase === "prepared") advance(draft, run, "mutating");
  const { subkey = null } = command;
  const within = scope.item === null ? { subkey } : { ...scope.item, subkey };
  const call = recordedCall(draft, run, command, keys, within);
  const { ask, verdict } = command;
  invariant(ask !== null || verdict.says === "allow", "what a grant asks about is asked");
  const approval = ask && { ...ask, payloadHash: call.payloadHash, actor: null, approvedAt: null };
  const state = ask ? "awaiting_approval" : "ready";
  const inputs = inputsOf(draft.view, run.runId);
  draft.emit({ kind: "mutation_recorded", call, state, approval, inputs });
  draft.expect(verdict.budget);
  if (ask) pauseForApproval(draft, call, null);
  return null;
};

/** What the call is for, and whether a run before may have made it. */
type Scope = {
  readonly keysOf: (command: RecordMutation) => CallKeys;
  readonly isFirst: boolean;
  /** Of a job; its calls are shown under its title. */
  readonly item: { readonly itemId: string; readonly uiTitle: string } | null;
};

function eventScopeOf(draft: Draft, run: RunRow): Scope | Refusal {
  if (run.phase !== "prepared" && run.phase !== "mutating") {
    return refuse("phase_must_be_prepared");
  }
  const events = heldEvents(draft.view, run.runId);
  if (events.length === 0) return refuse("nothing_reserved");
  const keys = (command: RecordMutation) => keysOf(draft.view.workflow, { run, events, command });
  return { keysOf: keys, isFirst: isFirstToHold(run, events), item: null };
}

/** A done item changes nothing outside, whoever asks. */
function itemScopeOf(draft: Draft, run: RunRow): Scope | Refusal {
  const item = itemOfRun(draft.view, run);
  if (item === null) return refuse("item_not_open");
  const { itemId, status } = item;
  if (isDone(item)) return refuse("item_is_done", `Item ${itemId} is ${status}.`);
  if (status === "needs_attention") return refuse("item_is_processing", "A person is asked.");
  const keys = (command: RecordMutation) => itemKeysOf(draft.view.workflow, item, command);
  return { keysOf: keys, isFirst: false, item: { itemId, uiTitle: item.title } };
}

export function whyNotAdmitted(draft: Draft, command: CallToRecord): Refusal | null {
  const { policy } = draft.view;
  const { connection, operation, target, payload, identity } = command;
  return (
    admitId(policy, "connector", command.connector) ??
    admitId(policy, "connection", connection) ??
    admitId(policy, "operation", operation) ??
    admitId(policy, "target", target) ??
    admitSize("call payload in bytes", payload.length, policy.payloadBytesMax) ??
    admitSize("call identity in bytes", identity.length, policy.payloadBytesMax)
  );
}

/** Of a job a second call at a time, of a consumer a second one at all. */
function whySecondCall({ kind }: RunRow, calls: readonly MutationRow[]): Refusal | null {
  const live = calls.some(kind === "job" ? isUnsettled : ({ state }) => state !== "failed");
  return live ? refuse("mutation_already_recorded") : null;
}

/**
 * A key is made of the events and their attempts: where no run before has ever held them, none can
 * have it but a call of this run, and those are always loaded.
 */
export function isFirstToHold({ retryOf }: RunRow, events: readonly EventRow[]): boolean {
  return retryOf === null && events.every(({ deliveryCount }) => deliveryCount === 1);
}

export function liveMutationWithKey(
  draft: Draft,
  mutationKey: string,
  { isFirst }: { readonly isFirst: boolean },
): string | null {
  const loaded = isFirst || draft.view.has({ kind: "mutation_key", mutationKey });
  invariant(loaded, `mutations with key ${mutationKey} were not loaded for this decision`);
  for (const row of draft.view.rows("mutations")) {
    if (row.mutationKey === mutationKey && row.state !== "failed") return row.mutationId;
  }
  return null;
}

export type CallKeys = {
  scopeId: string;
  attempt: number;
  mutationKey: string;
  /** Which change it is, as hashed for the key; absent = that is done when it is recorded. */
  identity?: ReturnType<typeof pinPayload>;
};

export function keysOf(
  workflow: string,
  {
    run,
    events,
    command,
  }: {
    readonly run: RunRow;
    readonly events: readonly EventRow[];
    readonly command: Pick<CallToRecord, "connector" | "target" | "operation" | "identity">;
  },
): CallKeys {
  const scopeId = consumerScope(workflow, run.handler, events);
  const attempt = Math.max(...events.map((event) => event.attempt));
  const { connector, target, operation } = command;
  const identity = pinPayload(command.identity);
  const identityHash = identity.payload.hash;
  const parts = { scopeId, attempt, connector, target, operation, identityHash, subkey: null };
  return { scopeId, attempt, mutationKey: mutationKeyOf(parts), identity };
}

/** Of a call in an item or a cell. */
type Within = Partial<Pick<RecordedCall, "itemId" | "subkey" | "uiTitle">>;
const nothingElse: Within = {};

export function recordedCall(
  draft: Draft,
  run: RunRow,
  command: CallToRecord,
  keys: CallKeys,
  within: Within = nothingElse,
): RecordedCall {
  const { mutationKey, identity = pinPayload(command.identity) } = keys;
  const payload = pinPayload(command.payload);
  draft.store(identity.blob);
  draft.store(payload.blob);
  const { connection, operation, connectorVersion, target, described } = command;
  const payloadHash = payload.payload.hash;
  const call: Growing<RecordedCall> = {
    mutationId: `m${draft.nextSeq}`,
    runId: run.runId,
    handler: run.handler,
    scopeId: keys.scopeId,
    attempt: keys.attempt,
    mutationKey,
    callNo: nextCallNo(draft.view, run),
    connection,
    operation,
    connectorVersion,
    target,
    identity: identity.payload,
    payload: payload.payload,
    payloadHash,
    intentHash: intentHashOf({ mutationKey, payloadHash, connection, connectorVersion }),
    providerKey: providerKeyOf(mutationKey, payloadHash),
    canReconcile: command.canReconcile,
    retentionMs: command.retentionMs,
    visibilityDelayMs: command.visibilityDelayMs,
    timeoutMs: command.timeoutMs,
    verdict: command.verdict,
    amount: command.amount,
    uiTitle: within.uiTitle === undefined ? titleOf(draft.view.policy, run) : within.uiTitle,
  };
  // Added one by one: to spread others into so many fields takes longer than all the rest.
  if (described !== undefined) call.preview = described;
  if (within.subkey !== undefined) call.subkey = within.subkey;
  if (within.itemId !== undefined) call.itemId = within.itemId;
  return call;
}

type Growing<T> = { -readonly [K in keyof T]: T[K] };

/** The script's own; the host's words stand beside it. */
function titleOf(policy: Policy, { uiTitle }: RunRow): string | null {
  return uiTitle === null ? null : admitTitle(policy, uiTitle);
}
