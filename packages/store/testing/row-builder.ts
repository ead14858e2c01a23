import {
  type AttentionRow,
  type BrakeRow,
  type DeliveryRow,
  type EnvelopeRow,
  type EventRow,
  type EvidenceRow,
  encodeCanonical,
  type HandlerRow,
  type InputRow,
  type ItemRow,
  type MachineFrameRow,
  type MachineInputRow,
  type MutationInputRow,
  type MutationRow,
  type Payload,
  type ProposalRow,
  pinPayload,
  type ReservationRow,
  type RunRow,
  type TopicRow,
  type VerdictRow,
  type WorkflowRow,
} from "@holdfast/core";
import { startOfTime } from "./store-case.ts";

/** Rows as a right core would write them; a case names only the columns it is about. */

export function payloadOf(text: string): Payload {
  return pinPayload(encodeCanonical(text)).payload;
}

export function workflowRow(set: Partial<WorkflowRow> = {}): WorkflowRow {
  return {
    name: "orders",
    status: "active",
    error: null,
    versionMajor: 1,
    versionMinor: 0,
    scriptHash: null,
    inboxThrough: 0,
    checkpointSeq: 0,
    createdAt: startOfTime,
    connections: null,
    storeIncarnation: null,
    restoredThrough: null,
    behindRestore: null,
    envelope: 0,
    deployedBy: null,
    proposedBy: null,
    machineSeq: 0,
    machineDueAt: null,
    machineInputSeq: 0,
    machineThrough: 0,
    definitions: null,
    proposalCount: 0,
    applying: null,
    restoredMachineSeq: null,
    machineTurns: 0,
    ...set,
  };
}

export function envelopeRow(number: number, set: Partial<EnvelopeRow> = {}): EnvelopeRow {
  return {
    number,
    grants: payloadOf(`grants ${number}`),
    setBy: "ada",
    setAt: startOfTime,
    ...set,
  };
}

export function topicRow(name: string, set: Partial<TopicRow> = {}): TopicRow {
  return {
    name,
    subscriber: "book",
    observed: false,
    lastPendingSeq: 1,
    declared: true,
    schema: null,
    machines: false,
    ...set,
  };
}

export function handlerRow(name: string, set: Partial<HandlerRow> = {}): HandlerRow {
  return {
    name,
    kind: "consumer",
    subscribe: ["orders"],
    publishes: null,
    onMutationFailed: "prepare",
    catchUp: "once",
    declared: true,
    state: null,
    checkedThrough: 0,
    wakeAt: null,
    nextRunAt: null,
    crashCount: 0,
    webhook: false,
    waitingCount: 0,
    calledAt: null,
    start: "manual",
    freshFrom: null,
    forms: null,
    ...set,
  };
}

export function inputRow(inputId: string, set: Partial<InputRow> = {}): InputRow {
  return {
    inputId,
    source: "shop",
    type: "order",
    externalId: inputId,
    title: `Order ${inputId}`,
    createdAt: startOfTime,
    skippedAt: null,
    ...set,
  };
}

export function deliveryRow(inputId: string, set: Partial<DeliveryRow> = {}): DeliveryRow {
  return {
    inputId,
    handler: "hook",
    deliveryId: `id of ${inputId}`,
    position: 1,
    status: "waiting",
    runId: null,
    body: payloadOf(inputId),
    receivedAt: startOfTime,
    ...set,
  };
}

export function eventRow(messageId: string, set: Partial<EventRow> = {}): EventRow {
  return {
    topic: "orders",
    messageId,
    position: 1,
    revision: 1,
    status: "pending",
    reservedBy: null,
    payload: payloadOf(messageId),
    title: null,
    createdBy: null,
    causedBy: [],
    attempt: 1,
    deliveryCount: 0,
    lateCount: 0,
    older: false,
    ...set,
  };
}

export function runRow(runId: string, set: Partial<RunRow> = {}): RunRow {
  return {
    runId,
    handler: "book",
    kind: "consumer",
    phase: "preparing",
    status: "active",
    reason: null,
    dueAt: null,
    retryOf: null,
    rootRunId: runId,
    supersededBy: null,
    retryFrom: null,
    open: true,
    asOf: 1,
    trigger: null,
    selectionId: null,
    uiTitle: null,
    prepareResult: null,
    preparedAt: null,
    outcome: null,
    mutationId: null,
    version: "1.0",
    transientCount: 0,
    failure: null,
    startedAt: startOfTime,
    endedAt: null,
    scriptHash: null,
    deployers: null,
    itemId: null,
    activeMs: 0,
    ...set,
  };
}

export function reservationRow(
  runId: string,
  messageId: string,
  set: Partial<ReservationRow> = {},
): ReservationRow {
  return { runId, topic: "orders", messageId, revision: 1, attempt: 1, ...set };
}

export function mutationRow(mutationId: string, set: Partial<MutationRow> = {}): MutationRow {
  return {
    mutationId,
    runId: "run-1",
    handler: "book",
    scopeId: "scope",
    attempt: 1,
    callNo: 1,
    connection: "shop",
    operation: "book",
    connectorVersion: "1",
    target: "order/1",
    identity: payloadOf("identity"),
    payload: payloadOf("payload"),
    mutationKey: `key-${mutationId}`,
    payloadHash: "payload-hash",
    intentHash: "intent-hash",
    providerKey: "provider-key",
    state: "ready",
    canReconcile: true,
    retentionMs: null,
    visibilityDelayMs: null,
    senderIncarnation: null,
    senderEpoch: null,
    sendBy: null,
    timeoutMs: null,
    quietFrom: null,
    firstSentAt: null,
    countedAt: null,
    awaitsExecutor: null,
    sendCount: 0,
    reconcileCount: 0,
    reconcileSince: null,
    nextAttemptAt: null,
    result: null,
    failure: null,
    resolution: null,
    approval: null,
    verdict: null,
    amount: null,
    budget: null,
    itemId: null,
    subkey: null,
    proposed: null,
    acceptedHash: null,
    preview: null,
    uiTitle: null,
    recordedAt: startOfTime,
    settledAt: null,
    ...set,
  };
}

export function itemRow(itemId: string, set: Partial<ItemRow> = {}): ItemRow {
  return {
    itemId,
    handler: "tidy",
    title: `Item ${itemId}`,
    status: "processing",
    attempt: 1,
    position: 1,
    touchedSeq: 1,
    createdBy: "run-1",
    lastRunId: "run-1",
    mutationId: null,
    older: false,
    createdAt: startOfTime,
    updatedAt: startOfTime,
    ...set,
  };
}

export function machineInputRow(
  position: number,
  set: Partial<MachineInputRow> = {},
): MachineInputRow {
  return { position, kind: "direct", body: payloadOf(`input ${position}`), ...set };
}

export function machineFrameRow(
  firstSeq: number,
  set: Partial<MachineFrameRow> = {},
): MachineFrameRow {
  const body = payloadOf(`frame ${firstSeq}`);
  return { firstSeq, lastSeq: firstSeq, seq: 1, body, snapshot: null, ...set };
}

export function proposalRow(number: number, set: Partial<ProposalRow> = {}): ProposalRow {
  return {
    number,
    status: "submitted",
    version: "2.0",
    scriptHash: "new",
    base: "old",
    body: payloadOf(`proposal ${number}`),
    changes: [],
    description: null,
    author: "ada",
    proposedAt: 1,
    report: null,
    shadowedBy: null,
    shadowedAt: null,
    decidedBy: null,
    decidedAt: null,
    reason: null,
    askedBy: null,
    askedAt: null,
    waits: false,
    obstacles: null,
    appliedAt: null,
    ...set,
  };
}

export function evidenceRow(mutationId: string, seq: number): EvidenceRow {
  return {
    mutationId,
    seq,
    kind: "error",
    says: "unknown",
    body: null,
    note: "connection reset",
    at: startOfTime,
  };
}

export function mutationInputRow(
  messageId: string,
  set: Partial<MutationInputRow> = {},
): MutationInputRow {
  return {
    consumer: "book",
    topic: "orders",
    messageId,
    attempt: 1,
    mutationId: "mutation-1",
    ...set,
  };
}

export function attentionRow(attentionId: string, set: Partial<AttentionRow> = {}): AttentionRow {
  return {
    attentionId,
    kind: "outcome_unknown",
    subject: null,
    note: "Nobody knows whether it happened.",
    answers: ["try_again", "skip"],
    openedAt: startOfTime,
    closedAt: null,
    closedBy: null,
    answer: null,
    ...set,
  };
}

export function brakeRow(operation: string): BrakeRow {
  return { operation, reason: "too many failures", setBy: "host", setAt: startOfTime };
}

export function verdictRow(commandId: string, set: Partial<VerdictRow> = {}): VerdictRow {
  return {
    commandId,
    position: 1,
    kind: "pause",
    actor: "ada",
    accepted: true,
    refusal: null,
    note: "",
    answeredAt: startOfTime,
    ...set,
  };
}
