import type { Rows } from "./rows.ts";

export type TableName = keyof Rows;

/**
 * How a column is kept. `list` and `json` are readable text in SQL; `payload` becomes three
 * columns (hash, size, inline). A trailing `?` means the value may be null.
 */
export type ColumnKind =
  | "text"
  | "text?"
  | "int"
  | "int?"
  | "flag"
  | "list"
  | "list?"
  | "json"
  | "json?"
  | "payload"
  | "payload?";

export type TableShape<T extends TableName> = {
  readonly key: readonly (keyof Rows[T] & string)[];
  readonly columns: Readonly<Record<keyof Rows[T] & string, ColumnKind>>;
};

/** Every projected table, once. The workflow id leads every key and is not repeated here. */
export const tables: { readonly [T in TableName]: TableShape<T> } = {
  workflows: {
    key: [],
    columns: {
      name: "text",
      status: "text",
      error: "text?",
      versionMajor: "int",
      versionMinor: "int",
      scriptHash: "text?",
      inboxThrough: "int",
      checkpointSeq: "int",
      createdAt: "int",
      connections: "list?",
      storeIncarnation: "text?",
      restoredThrough: "int?",
      behindRestore: "list?",
      envelope: "int",
      deployedBy: "text?",
      machineSeq: "int",
      machineDueAt: "int?",
      machineInputSeq: "int",
      machineThrough: "int",
      definitions: "list?",
      proposalCount: "int",
      applying: "int?",
      restoredMachineSeq: "int?",
      machineTurns: "int",
      proposedBy: "text?",
    },
  },
  envelopes: {
    key: ["number"],
    columns: { number: "int", grants: "payload", setBy: "text", setAt: "int" },
  },
  topics: {
    key: ["name"],
    columns: {
      name: "text",
      subscriber: "text?",
      observed: "flag",
      lastPendingSeq: "int",
      declared: "flag",
      schema: "json?",
      machines: "flag",
    },
  },
  handlers: {
    key: ["name"],
    columns: {
      name: "text",
      kind: "text",
      subscribe: "list",
      publishes: "list?",
      onMutationFailed: "text",
      catchUp: "text",
      declared: "flag",
      state: "payload?",
      checkedThrough: "int",
      wakeAt: "int?",
      nextRunAt: "int?",
      crashCount: "int",
      webhook: "flag",
      waitingCount: "int",
      calledAt: "int?",
      start: "text",
      freshFrom: "int?",
      forms: "list?",
    },
  },
  handler_kv: {
    key: ["handler", "key"],
    columns: { handler: "text", key: "text", value: "payload" },
  },
  inputs: {
    key: ["inputId"],
    columns: {
      inputId: "text",
      source: "text",
      type: "text",
      externalId: "text",
      title: "text",
      createdAt: "int",
      skippedAt: "int?",
    },
  },
  events: {
    key: ["topic", "messageId"],
    columns: {
      topic: "text",
      messageId: "text",
      position: "int",
      revision: "int",
      status: "text",
      reservedBy: "text?",
      payload: "payload",
      title: "text?",
      createdBy: "text?",
      causedBy: "list",
      attempt: "int",
      deliveryCount: "int",
      lateCount: "int",
      older: "flag",
    },
  },
  event_inputs: {
    key: ["inputId", "topic", "messageId"],
    columns: { inputId: "text", topic: "text", messageId: "text" },
  },
  runs: {
    key: ["runId"],
    columns: {
      runId: "text",
      handler: "text",
      kind: "text",
      phase: "text",
      status: "text",
      reason: "text?",
      dueAt: "int?",
      retryOf: "text?",
      rootRunId: "text",
      supersededBy: "text?",
      retryFrom: "text?",
      open: "flag",
      asOf: "int",
      trigger: "text?",
      selectionId: "text?",
      uiTitle: "text?",
      prepareResult: "payload?",
      preparedAt: "int?",
      outcome: "text?",
      mutationId: "text?",
      version: "text",
      transientCount: "int",
      failure: "json?",
      startedAt: "int",
      endedAt: "int?",
      scriptHash: "text?",
      itemId: "text?",
      activeMs: "int",
      deployers: "list?",
    },
  },
  reservations: {
    key: ["runId", "topic", "messageId"],
    columns: { runId: "text", topic: "text", messageId: "text", revision: "int", attempt: "int" },
  },
  mutations: {
    key: ["mutationId"],
    columns: {
      mutationId: "text",
      runId: "text",
      handler: "text",
      scopeId: "text",
      attempt: "int",
      callNo: "int",
      connection: "text",
      operation: "text",
      connectorVersion: "text",
      target: "text",
      identity: "payload",
      payload: "payload",
      mutationKey: "text",
      payloadHash: "text",
      intentHash: "text",
      providerKey: "text",
      state: "text",
      canReconcile: "flag",
      retentionMs: "int?",
      visibilityDelayMs: "int?",
      senderIncarnation: "text?",
      senderEpoch: "int?",
      sendBy: "int?",
      timeoutMs: "int?",
      quietFrom: "int?",
      firstSentAt: "int?",
      sendCount: "int",
      reconcileCount: "int",
      reconcileSince: "int?",
      nextAttemptAt: "int?",
      result: "payload?",
      failure: "json?",
      resolution: "json?",
      approval: "json?",
      uiTitle: "text?",
      recordedAt: "int",
      settledAt: "int?",
      verdict: "json?",
      amount: "int?",
      budget: "text?",
      itemId: "text?",
      subkey: "text?",
      proposed: "payload?",
      acceptedHash: "text?",
      preview: "text?",
      countedAt: "int?",
      awaitsExecutor: "text?",
    },
  },
  mutation_evidence: {
    key: ["mutationId", "seq"],
    columns: {
      mutationId: "text",
      seq: "int",
      kind: "text",
      says: "text",
      body: "payload?",
      note: "text",
      at: "int",
    },
  },
  mutation_inputs: {
    key: ["consumer", "topic", "messageId", "attempt"],
    columns: {
      consumer: "text",
      topic: "text",
      messageId: "text",
      attempt: "int",
      mutationId: "text",
    },
  },
  attentions: {
    key: ["attentionId"],
    columns: {
      attentionId: "text",
      kind: "text",
      subject: "text?",
      note: "text",
      answers: "list",
      openedAt: "int",
      closedAt: "int?",
      closedBy: "text?",
      answer: "text?",
    },
  },
  brakes: {
    key: ["operation"],
    columns: { operation: "text", reason: "text", setBy: "text", setAt: "int" },
  },
  verdicts: {
    key: ["commandId"],
    columns: {
      commandId: "text",
      position: "int",
      kind: "text",
      actor: "text",
      accepted: "flag",
      refusal: "text?",
      note: "text",
      answeredAt: "int",
    },
  },
  skipped_firings: {
    key: ["handler", "dueAt", "seq"],
    columns: { handler: "text", dueAt: "int", seq: "int", firingCount: "int" },
  },
  deliveries: {
    key: ["inputId"],
    columns: {
      inputId: "text",
      handler: "text",
      deliveryId: "text",
      position: "int",
      status: "text",
      runId: "text?",
      body: "payload",
      receivedAt: "int",
    },
  },
  items: {
    key: ["itemId"],
    columns: {
      itemId: "text",
      handler: "text",
      title: "text",
      status: "text",
      attempt: "int",
      position: "int",
      touchedSeq: "int",
      createdBy: "text",
      lastRunId: "text",
      mutationId: "text?",
      older: "flag",
      createdAt: "int",
      updatedAt: "int",
    },
  },
  machine_inputs: {
    key: ["position"],
    columns: { position: "int", kind: "text", body: "payload" },
  },
  machine_frames: {
    key: ["firstSeq"],
    columns: {
      firstSeq: "int",
      lastSeq: "int",
      seq: "int",
      body: "payload",
      snapshot: "payload?",
    },
  },
  older_cells: { key: ["mark"], columns: { mark: "text" } },
  event_uses: {
    key: ["topic", "messageId", "usedBy"],
    columns: { topic: "text", messageId: "text", usedBy: "text" },
  },
  proposals: {
    key: ["number"],
    columns: {
      number: "int",
      status: "text",
      version: "text",
      scriptHash: "text",
      base: "text",
      body: "payload",
      changes: "list",
      description: "text?",
      author: "text",
      proposedAt: "int",
      report: "payload?",
      shadowedBy: "text?",
      shadowedAt: "int?",
      decidedBy: "text?",
      decidedAt: "int?",
      reason: "text?",
      askedBy: "text?",
      askedAt: "int?",
      waits: "flag",
      obstacles: "payload?",
      appliedAt: "int?",
    },
  },
};

export const tableNames = Object.keys(tables) as TableName[];

/** Ids are admitted without control characters, so this separator cannot occur inside one. */
const separator = "\u0000";

export function keyOf<T extends TableName>(table: T, row: Rows[T]): string {
  const { key }: TableShape<T> = tables[table];
  const [first] = key;
  let text = first === undefined ? "" : String(row[first]);
  for (let at = 1; at < key.length; at++) text += separator + String(row[key[at] as keyof Rows[T]]);
  return text;
}

export function keyText(parts: readonly (string | number)[]): string {
  return parts.length === 1 ? String(parts[0]) : parts.join(separator);
}
