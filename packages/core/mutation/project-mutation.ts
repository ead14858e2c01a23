import type { ProjectionsOf } from "../journal/projection.ts";
import type { JournalRecord } from "../journal/record.ts";
import { activeTime } from "../run/active-time.ts";
import { deleteRow, insertRow, type RowChange, updateRow } from "../view/row-change.ts";
import type { Instant, MutationRow, Resolution } from "../view/rows.ts";
import type { Evidence, GuardedInput, MutationFact, MutationRecorded } from "./mutation-facts.ts";

export const projectMutation: ProjectionsOf<MutationFact> = {
  mutation_recorded: recordedRows,
  mutation_approved: (fact) => [
    updateRow("mutations", [fact.mutationId], { state: "ready", approval: fact.approval }),
    ...guardRows(fact.handler, fact.mutationId, fact.inputs),
  ],
  mutation_sent: sentRows,
  mutation_applied: appliedRows,
  mutation_failed: (fact, record) => [
    updateRow("mutations", [fact.mutationId], {
      state: "failed",
      failure: fact.failure,
      settledAt: record.at,
      nextAttemptAt: null,
      awaitsExecutor: null,
      ...resolved(fact.resolution),
    }),
    evidenceRow(fact.mutationId, fact.evidence, record),
    ...fact.inputs.map(({ topic, messageId, attempt }) =>
      deleteRow("mutation_inputs", [fact.handler, topic, messageId, attempt]),
    ),
  ],
  mutation_requeued: (fact, record) => [
    updateRow("mutations", [fact.mutationId], {
      state: "ready",
      nextAttemptAt: fact.nextAttemptAt,
    }),
    evidenceRow(fact.mutationId, fact.evidence, record),
  ],
  mutation_unasked: (fact, record) => [
    updateRow("mutations", [fact.mutationId], { awaitsExecutor: fact.executor }),
    evidenceRow(fact.mutationId, fact.evidence, record),
  ],
  mutation_uncertain: (fact, record) => [
    updateRow("mutations", [fact.mutationId], {
      state: "needs_reconcile",
      quietFrom: fact.quietFrom,
      nextAttemptAt: fact.nextAttemptAt,
      reconcileCount: fact.reconcileCount,
      reconcileSince: fact.reconcileSince,
      ...(fact.answered === true ? { retentionMs: null } : {}),
      ...resolved(fact.resolution),
    }),
    evidenceRow(fact.mutationId, fact.evidence, record),
  ],
  mutation_indeterminate: (fact, record) => [
    updateRow("mutations", [fact.mutationId], {
      state: "indeterminate",
      quietFrom: fact.quietFrom,
      nextAttemptAt: null,
    }),
    evidenceRow(fact.mutationId, fact.evidence, record),
  ],
  mutation_skipped: (fact) => [
    updateRow("mutations", [fact.mutationId], { resolution: fact.resolution }),
  ],
  mutation_cleared: (fact) => [
    updateRow("mutations", [fact.mutationId], { resolution: fact.resolution }),
  ],
  mutation_presumed_sent: (fact) => [
    updateRow("mutations", [fact.mutationId], { state: "in_flight", awaitsExecutor: null }),
  ],
  evidence_recorded: (fact, record) => [evidenceRow(fact.mutationId, fact.evidence, record)],
};

function recordedRows(fact: MutationRecorded, { at }: JournalRecord): RowChange[] {
  const { mutationId, runId, handler } = fact.call;
  const row = recordedRow(fact, at);
  const guards = fact.state === "ready" ? guardRows(handler, mutationId, fact.inputs) : [];
  const made = updateRow("runs", [runId], { mutationId, ...activeTime(fact) });
  return [insertRow("mutations", row), ...guards, made];
}

/** Written out: to spread one object over another is slow where both have many fields. */
function recordedRow(
  { call, state, approval }: MutationRecorded,
  recordedAt: Instant,
): MutationRow {
  const { verdict = null } = call;
  return {
    mutationId: call.mutationId,
    runId: call.runId,
    handler: call.handler,
    scopeId: call.scopeId,
    attempt: call.attempt,
    callNo: call.callNo,
    connection: call.connection,
    operation: call.operation,
    connectorVersion: call.connectorVersion,
    target: call.target,
    identity: call.identity,
    payload: call.payload,
    mutationKey: call.mutationKey,
    payloadHash: call.payloadHash,
    intentHash: call.intentHash,
    providerKey: call.providerKey,
    canReconcile: call.canReconcile,
    retentionMs: call.retentionMs,
    visibilityDelayMs: call.visibilityDelayMs,
    timeoutMs: call.timeoutMs,
    uiTitle: call.uiTitle,
    verdict,
    amount: call.amount ?? null,
    budget: verdict?.budget?.name ?? null,
    itemId: call.itemId ?? null,
    subkey: call.subkey ?? null,
    acceptedHash: call.acceptedHash ?? null,
    preview: call.preview ?? null,
    state,
    approval,
    recordedAt,
    // Only what it would do is known of it.
    senderIncarnation: null,
    senderEpoch: null,
    sendBy: null,
    quietFrom: null,
    firstSentAt: null,
    countedAt: null,
    sendCount: 0,
    reconcileCount: 0,
    reconcileSince: null,
    nextAttemptAt: null,
    awaitsExecutor: null,
    result: null,
    failure: null,
    resolution: null,
    settledAt: null,
    proposed: null,
  };
}

function sentRows(fact: Extract<MutationFact, { kind: "mutation_sent" }>): RowChange[] {
  const { verdict = null, amount } = fact;
  const set: Partial<MutationRow> = {
    state: "in_flight",
    senderIncarnation: fact.senderIncarnation,
    senderEpoch: fact.senderEpoch,
    sendBy: fact.sendBy,
    timeoutMs: fact.timeoutMs,
    quietFrom: fact.quietFrom,
    firstSentAt: fact.firstSentAt,
    sendCount: fact.sendCount,
    verdict,
    budget: verdict?.budget?.name ?? null,
    countedAt: fact.countedAt ?? null,
    nextAttemptAt: null,
    awaitsExecutor: null,
  };
  if (amount !== undefined) set.amount = amount;
  return [updateRow("mutations", [fact.mutationId], set)];
}

function appliedRows(
  fact: Extract<MutationFact, { kind: "mutation_applied" }>,
  record: JournalRecord,
): RowChange[] {
  const { mutationId, result, amount, evidence, resolution } = fact;
  const set: Partial<MutationRow> = {
    state: "applied",
    result,
    settledAt: record.at,
    nextAttemptAt: null,
    awaitsExecutor: null,
  };
  if (amount !== undefined) set.amount = amount;
  if (resolution !== null) set.resolution = resolution;
  return [updateRow("mutations", [mutationId], set), evidenceRow(mutationId, evidence, record)];
}

function guardRows(
  consumer: string,
  mutationId: string,
  inputs: readonly GuardedInput[],
): RowChange[] {
  return inputs.map(({ topic, messageId, attempt }) =>
    insertRow("mutation_inputs", { consumer, topic, messageId, attempt, mutationId }),
  );
}

function evidenceRow(mutationId: string, evidence: Evidence, record: JournalRecord): RowChange {
  const { kind, says, note, body } = evidence;
  const { seq, at } = record;
  return insertRow("mutation_evidence", { mutationId, seq, kind, says, body, note, at });
}

/** A fact without a person's answer leaves an earlier one as it stands. */
function resolved(resolution: Resolution | null): { resolution?: Resolution } {
  return resolution === null ? {} : { resolution };
}
