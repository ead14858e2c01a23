import { encodeCanonical, hashText } from "../canonical/index.ts";
import type { CoreCommand } from "../command.ts";
import { type Grant, plainGrants, type Verdict } from "../grant/grant.ts";
import { encodeGrants } from "../grant/read-grants.ts";
import type { ReconcileAnswer } from "../mutation/answer-reconcile.ts";
import type { EditMutation } from "../mutation/edit-mutation.ts";
import type { Ask } from "../mutation/mutation-facts.ts";
import type { RecordMutation } from "../mutation/record-mutation.ts";
import type { Answer } from "../mutation/resolve-mutation.ts";
import type { SendOutcome } from "../mutation/settle-mutation.ts";
import type { ProposeVersion } from "../proposal/propose-version.ts";
import type { FinishPrepare } from "../run/finish-prepare.ts";
import type { PauseRun } from "../run/pause-run.ts";
import { inputIdOf } from "../topic/input-id.ts";
import type { FailureClass, OnMutationFailed, RunFailure, WorkflowRow } from "../view/rows.ts";
import type { ActivateVersion } from "../workflow/activate-version.ts";
import type { Scenario } from "./scenario.ts";

/** Commands with everything filled in that a table does not care about. */
export const actor = "ann";
export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;
/** Of the operation every call of these tests uses. */
export const operation = "shop.order";
export const visibilityDelayMs = 60_000;
export const previewHash = "preview";
export const timeoutMs = 30_000;

export function textBytes(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

export function failure(failureClass: FailureClass): RunFailure {
  return { class: failureClass, message: `it was ${failureClass}`, location: "book" };
}

const hook = {
  name: "hook",
  kind: "producer",
  subscribe: [],
  publishes: null,
  scheduled: false,
} as const;

export function version(
  major: number,
  minor: number,
  onMutationFailed: OnMutationFailed = "prepare",
): ActivateVersion {
  const rest = { onMutationFailed, catchUp: "skip", webhook: false, start: "manual" } as const;
  return {
    kind: "activate_version",
    major,
    minor,
    scriptHash: `script-${major}.${minor}`,
    script: null,
    connections: [],
    grants: null,
    progress: "keep",
    topics: [
      { name: "orders", subscriber: "book", observed: false, schema: null },
      { name: "booked", subscriber: null, observed: true, schema: null },
    ],
    handlers: [
      { name: "poll", kind: "producer", subscribe: [], publishes: null, scheduled: true, ...rest },
      { ...hook, ...rest, webhook: true, start: "manual" },
      {
        name: "book",
        kind: "consumer",
        subscribe: ["orders"],
        publishes: ["booked"],
        scheduled: false,
        ...rest,
      },
    ],
    actor,
  };
}

export function publishEvent(messageId: string, text = messageId): CoreCommand {
  const payload = textBytes(text);
  return { kind: "publish_event", topic: "orders", messageId, payload, title: null, actor };
}

export function receiveDelivery(deliveryId: string): CoreCommand {
  const body = textBytes(deliveryId);
  return { kind: "receive_delivery", handler: "hook", deliveryId, body, title: null, actor };
}

export function inputOf(messageId: string): string {
  const externalId = `orders/${messageId}`;
  return inputIdOf({ source: "system", type: "manual", externalId });
}

export function onEvent(kind: "skip_event" | "reprocess_event", messageId: string): CoreCommand {
  return { kind, topic: "orders", messageId, actor };
}

export function onInput(kind: "skip_input" | "reprocess_input", messageId: string): CoreCommand {
  return { kind, inputId: inputOf(messageId), actor };
}

export function startRun(s: Scenario, handler = "book"): CoreCommand {
  return { kind: "start_run", handler, asOf: s.view.head.seq, trigger: null };
}

export function finishPrepare(s: Scenario, ...messageIds: string[]): FinishPrepare {
  return {
    kind: "finish_prepare",
    runId: s.runId,
    asOf: s.view.head.seq,
    reservations: messageIds.map((messageId) => ({ topic: "orders", messageId, revision: null })),
    prepareResult: textBytes("prepared"),
    selectionId: null,
    uiTitle: null,
    trigger: null,
    wakeAt: null,
  };
}

function verdictOf(s: Scenario, says: Verdict["says"] = "allow"): Verdict {
  return { envelope: s.view.find("workflows")?.envelope ?? 0, grant: 0, says };
}

export type CallOptions = Partial<Omit<RecordMutation, "kind" | "runId">>;

export function recordMutation(s: Scenario, options: CallOptions = {}): RecordMutation {
  return {
    kind: "record_mutation",
    runId: s.runId,
    connector: "shop",
    connection: "shop",
    connectorVersion: "1",
    operation: "order",
    target: "t",
    identity: textBytes("order 1"),
    payload: textBytes("order 1, two pieces"),
    canReconcile: true,
    retentionMs: null,
    visibilityDelayMs,
    timeoutMs,
    verdict: verdictOf(s),
    amount: null,
    ask: null,
    ...options,
  };
}

export function askFor(s: Scenario, ms = hourMs): Ask {
  return { previewHash, preview: "order 1", fourEyes: false, expiresAt: s.now + ms };
}

export function commitRun(s: Scenario): CoreCommand {
  const { runId } = s;
  return {
    kind: "commit_run",
    runId,
    inputs: [],
    publishes: [],
    state: null,
    nextRunAt: null,
    kv: [],
    deliveries: [],
  };
}

export function pauseRun(s: Scenario, because: PauseRun["because"]): CoreCommand {
  return { kind: "pause_run", runId: s.runId, because };
}

export function failRun(s: Scenario, failureClass: "logic" | "internal"): CoreCommand {
  return {
    kind: "fail_run",
    runId: s.runId,
    failure: { class: failureClass, message: "broken", location: "book" },
  };
}

/** Commands that say nothing but which run they mean. */
export function onRun(
  kind: "finish_mutate" | "start_retry" | "retry_run" | "stop_run",
  { runId }: Scenario,
): CoreCommand {
  switch (kind) {
    case "finish_mutate":
    case "start_retry":
      return { kind, runId };
    case "retry_run":
    case "stop_run":
      return { kind, runId, actor };
  }
}

export function resumeRun({ runId }: Scenario, by = actor): CoreCommand {
  return { kind: "resume_run", runId, actor: by };
}

export function recoverRun(incarnation: string): CoreCommand {
  return { kind: "recover_run", incarnation };
}

export function approve(s: Scenario, payload?: string): CoreCommand {
  const known = s.view.find("mutations", s.mutationId)?.payloadHash ?? "none";
  const { mutationId } = s;
  const payloadHash = payload ?? known;
  return { kind: "approve_mutation", mutationId, payloadHash, previewHash, actor };
}

export function reject({ mutationId }: Scenario, choice: "skip" | "stop"): CoreCommand {
  // biome-ignore lint/suspicious/noThenProperty: the word of the contract; never awaited
  return { kind: "reject_mutation", mutationId, reason: "no", then: choice, actor };
}

/** By somebody else than who approves, if nothing else is said. */
export function edit(s: Scenario, options: Partial<EditMutation> = {}): EditMutation {
  const { runId, kind, connection, operation, ...call } = recordMutation(s);
  return {
    ...call,
    kind: "edit_mutation",
    mutationId: s.mutationId,
    editedHash: s.view.find("mutations", s.mutationId)?.payloadHash ?? "none",
    payload: textBytes("order 1, one piece"),
    ask: askFor(s),
    actor: "eve",
    ...options,
  };
}

export function send(
  s: Scenario,
  kind: "send_mutation" | "resend_mutation" = "send_mutation",
): CoreCommand {
  const sendBy = s.now + 5_000;
  const sending = { incarnation: "host-1", epoch: 1, sendBy, timeoutMs, verdict: verdictOf(s) };
  return { kind, mutationId: s.mutationId, ...sending };
}

export function unsent({ mutationId }: Scenario, incarnation: string): CoreCommand {
  return { kind: "report_unsent", mutationId, incarnation, note: "too late" };
}

export function settle({ mutationId }: Scenario, outcome: SendOutcome): CoreCommand {
  return { kind: "settle_mutation", mutationId, outcome };
}

type Definite = Exclude<FailureClass, "indeterminate">;

export function settleFailed(s: Scenario, failureClass: Definite): CoreCommand {
  const definite = { ...failure(failureClass), class: failureClass };
  return settle(s, { says: "failed", failure: definite, jitter: 0 });
}

export function settleUnknown(s: Scenario): CoreCommand {
  return settle(s, { says: "unknown", note: "connection reset" });
}

export function settleApplied(s: Scenario): CoreCommand {
  return settle(s, { says: "applied", result: textBytes("order 77") });
}

export function answer({ mutationId }: Scenario, found: ReconcileAnswer): CoreCommand {
  return { kind: "answer_reconcile", mutationId, answer: found, jitter: 0 };
}

/** The connector did not find the change. */
export function notFound(s: Scenario, quietForMs: number): CoreCommand {
  return answer(s, { says: "failed", note: "not found", quietForMs });
}

export function askedInVain(s: Scenario): CoreCommand {
  return answer(s, { says: "retry", note: "not sure" });
}

export function resolve({ mutationId }: Scenario, given: Answer, by = actor): CoreCommand {
  return { kind: "resolve_mutation", mutationId, answer: given, actor: by };
}

export function didNotHappen(onFailed: OnMutationFailed | null = null): Answer {
  // biome-ignore lint/suspicious/noThenProperty: the word of the contract; never awaited
  return { says: "did_not_happen", then: onFailed };
}

export function lateAnswer(
  { mutationId }: Scenario,
  says: "applied" | "failed" | "unknown",
): CoreCommand {
  return { kind: "record_late_answer", mutationId, says, result: null, note: "came late" };
}

export function setEnvelope(grants: readonly Grant[] = plainGrants("allow", [operation])) {
  return { kind: "set_envelope", grants: encodeGrants(grants), actor } as const;
}

export function askApproval(s: Scenario): CoreCommand {
  const { mutationId } = s;
  const judged = { verdict: verdictOf(s, "ask"), ask: askFor(s), connectorVersion: "1" };
  return { kind: "ask_approval", mutationId, ...judged };
}

export function setBrake(name = operation): CoreCommand {
  return { kind: "set_brake", operation: name, reason: "stop it", actor };
}

export function releaseBrake(name = operation): CoreCommand {
  return { kind: "release_brake", operation: name, actor };
}

export function noteStore(storeIncarnation = "store-2"): CoreCommand {
  return { kind: "note_store", storeIncarnation, restored: true };
}

export function onWorkflow(
  kind: "pause_workflow" | "resume_workflow" | "archive_workflow" | "restore_workflow" | "run_now",
): CoreCommand {
  return { kind, actor };
}

export function completeItem(runId: string, itemId = "i1", attempt = 1): CoreCommand {
  return { kind: "complete_item", runId, itemId, attempt, publishes: [] };
}

export function comparePayload(
  { runId, mutationId }: Pick<Scenario, "runId" | "mutationId">,
  says: "minor" | "significant" = "significant",
): CoreCommand {
  const payload = textBytes("another order");
  return { kind: "compare_payload", runId, mutationId, payload, says, note: "body differs" };
}

export const machine = "w/machine@1";
export const intentId = "1".repeat(64);

export function sendToMachine(): CoreCommand {
  return { kind: "send_to_machine", machine, key: null, value: textBytes("event"), actor };
}

/** Against the first version, with another machine than it has. */
export function proposeVersion(base = "script-1.0", major = 2): CoreCommand {
  const { kind, ...rest } = version(major, 0);
  const changed = { machines: true, definitions: ["w/order@1 new"], base, description: null };
  return { kind: "propose_version", ...rest, ...changed };
}

/** As core keeps it. */
const bodyOfProposal: Uint8Array = (() => {
  const { kind, actor: _, base, description, ...body } = proposeVersion() as ProposeVersion;
  return encodeCanonical(body as never);
})();
const patchHash = hashText(bodyOfProposal);

export function shadowVersion(of: string = patchHash): CoreCommand {
  return {
    kind: "shadow_version",
    number: 1,
    patchHash: of,
    report: textBytes("as told"),
    actor,
  };
}

export function decideVersion(says: "approve" | "reject"): CoreCommand {
  return { kind: "decide_version", number: 1, patchHash, says, reason: null, actor };
}

export function applyVersion(): CoreCommand {
  return { kind: "apply_version", number: 1, waits: true, actor };
}

export function swapVersion(): CoreCommand {
  return { kind: "swap_version", number: 1, body: bodyOfProposal };
}

export function holdApply(waits = false): CoreCommand {
  const obstacles = textBytes("one call");
  return { kind: "hold_apply", number: 1, why: "governance.apply_inflight", obstacles, waits };
}

/** The next minor version, with the machines there are. */
export function activateNext(active: WorkflowRow): CoreCommand {
  const { versionMajor, versionMinor, definitions } = active;
  return { ...version(versionMajor, versionMinor + 1), machines: true, definitions };
}

export function commitFrame(): CoreCommand {
  const nothing = { served: [], refused: [], publishes: [], cells: [], blobs: [], parts: [] };
  return { kind: "commit_frame", frame: null, ...nothing, dueAt: null };
}

export function recordIntent(s: Scenario): CoreCommand {
  const { kind, runId, subkey, ...call } = recordMutation(s);
  const origin = { intentId, machine, cellKey: null, requestedKey: null, title: "a call" };
  return { kind: "record_intent", ...call, ...origin, older: false };
}

export function refuseIntent(): CoreCommand {
  return { kind: "refuse_intent", intentId, failure: { code: "denied", message: "no" } };
}
