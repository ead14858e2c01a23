import {
  encodeCanonical,
  type Fact,
  insertRow,
  type MutationRow,
  pinPayload,
  type RowChange,
  type RunRow,
  type Store,
  sealRecords,
} from "@holdfast/core";

/** The store never reads a fact: any will do. */
const fact: Fact = { kind: "workflow_error_cleared", actor: "bench" };

export async function persistCalls(
  store: Store,
  workflow: string,
  calls: readonly MutationRow[],
): Promise<void> {
  const rows = calls.map((row) => insertRow("mutations", row));
  await persistRows(store, workflow, rows);
}

/** Puts rows into the tables without anybody having decided them. */
export async function persistRows(
  store: Store,
  workflow: string,
  rows: readonly RowChange[],
): Promise<void> {
  const { head, epoch } = await store.load(workflow, []);
  const records = sealRecords(workflow, head, [{ seq: head.seq + 1, at: 0, fact }]);
  const [answer] = await store.commit([
    {
      workflow,
      epoch,
      expectedHead: head.seq,
      records,
      rows,
      blobs: [],
      dueAt: null,
      settledBelow: [],
      trace: null,
      budgets: [],
      forgetTracesThrough: null,
    },
  ]);
  if (answer?.kind !== "committed") throw new Error(JSON.stringify(answer));
}

const { payload } = pinPayload(encodeCanonical({ path: "/orders" }));
const nothing = {
  failure: null,
  resolution: null,
  approval: null,
  result: null,
  uiTitle: null,
  nextAttemptAt: null,
  reconcileSince: null,
  senderIncarnation: null,
  senderEpoch: null,
  sendBy: null,
  quietFrom: null,
  firstSentAt: null,
  countedAt: null,
  awaitsExecutor: null,
  retentionMs: null,
  visibilityDelayMs: null,
  itemId: null,
  subkey: null,
  proposed: null,
  acceptedHash: null,
  preview: null,
};

export function callRow(no: number, recordedAt: number): MutationRow {
  return {
    ...nothing,
    mutationId: `m${no}`,
    runId: `r${no}`,
    handler: "book",
    scopeId: `s${no}`,
    attempt: 1,
    callNo: 1,
    connection: "shop",
    operation: "post",
    connectorVersion: "1",
    target: "shop",
    identity: payload,
    payload,
    mutationKey: `k${no}`,
    payloadHash: payload.hash,
    intentHash: "i",
    providerKey: "p",
    state: "applied",
    canReconcile: false,
    timeoutMs: 1_000,
    sendCount: 1,
    reconcileCount: 0,
    recordedAt,
    settledAt: recordedAt,
    verdict: { envelope: 1, grant: 0, says: "allow" },
    amount: 50_000,
    budget: null,
  };
}

/** The run that made the call of that number. */
export function endedRun(
  no: number,
  { endedAt, activeMs }: { readonly endedAt: number; readonly activeMs: number },
): RunRow {
  return {
    runId: `r${no}`,
    handler: "book",
    kind: "consumer",
    phase: "committed",
    status: "committed",
    reason: null,
    dueAt: null,
    retryOf: null,
    rootRunId: `r${no}`,
    supersededBy: null,
    retryFrom: null,
    open: false,
    asOf: 1,
    trigger: null,
    selectionId: null,
    uiTitle: null,
    prepareResult: null,
    preparedAt: null,
    outcome: "applied",
    mutationId: `m${no}`,
    version: "1.0",
    transientCount: 0,
    failure: null,
    startedAt: endedAt,
    endedAt,
    scriptHash: null,
    deployers: null,
    itemId: null,
    activeMs,
  };
}
