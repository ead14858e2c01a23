import type { ProjectionsOf } from "../journal/projection.ts";
import type { JournalRecord } from "../journal/record.ts";
import { becamePending } from "../topic/project-topic.ts";
import { deleteRow, insertRow, type RowChange, updateRow } from "../view/row-change.ts";
import type { HandlerRow, RunRow } from "../view/rows.ts";
import { activeTime } from "./active-time.ts";
import type {
  KvWrite,
  ReservedEvent,
  RunAdvanced,
  RunCommitted,
  RunFact,
  RunPrepared,
  RunStarted,
} from "./run-facts.ts";

export const projectRun: ProjectionsOf<RunFact> = {
  run_started: startedRows,
  run_prepared: preparedRows,
  run_advanced: advancedRows,
  run_paused: (fact) => [
    updateRow("runs", [fact.runId], {
      status: fact.status,
      reason: fact.reason,
      dueAt: fact.dueAt,
      transientCount: fact.transientCount,
      failure: fact.failure,
      ...activeTime(fact),
    }),
  ],
  run_resumed: (fact) => [
    updateRow("runs", [fact.runId], {
      status: "active",
      reason: null,
      dueAt: null,
      ...(fact.fresh ? { transientCount: 0 } : {}),
    }),
  ],
  run_failed: (fact) => [
    updateRow("runs", [fact.runId], {
      status: fact.status,
      reason: null,
      dueAt: null,
      failure: fact.failure,
      ...activeTime(fact),
    }),
  ],
  run_crashed: (fact) => [
    updateRow("runs", [fact.runId], { status: "crashed", reason: null, dueAt: null }),
    updateRow("handlers", [fact.handler], { crashCount: fact.crashCount }),
  ],
  run_retry_ordered: (fact) => [
    updateRow("runs", [fact.runId], {
      retryFrom: fact.from,
      dueAt: fact.dueAt,
      transientCount: fact.transientCount,
    }),
  ],
  events_reserved: (fact) => fact.events.flatMap((event) => pin(fact.runId, event)),
  events_released: (fact, { seq }) => [
    ...fact.events.map(({ topic, messageId }) =>
      updateRow("events", [topic, messageId], {
        status: "pending",
        reservedBy: null,
        revision: seq,
      }),
    ),
    ...topicsOf(fact.events).map((topic) => becamePending(topic, seq)),
  ],
  run_aborted: (fact, { at }) => [
    updateRow("runs", [fact.runId], {
      status: "aborted",
      open: false,
      reason: null,
      dueAt: null,
      retryFrom: null,
      endedAt: at,
      ...activeTime(fact),
    }),
  ],
  run_committed: committedRows,
};

function advancedRows({ runId, phase, outcome, activeMs }: RunAdvanced): RowChange[] {
  const set: Partial<RunRow> = { phase };
  if (outcome !== null) set.outcome = outcome;
  if (activeMs !== undefined) set.activeMs = activeMs;
  return [updateRow("runs", [runId], set)];
}

function topicsOf(events: readonly { readonly topic: string }[]): string[] {
  return [...new Set(events.map((event) => event.topic))];
}

/**
 * Order: pin what is inherited, hand the events over, close the old run, open the new one. At no
 * point do two runs stand open, and no closed run holds an event.
 */
function startedRows(fact: RunStarted, { at }: JournalRecord): RowChange[] {
  const inherited = fact.inherits?.events ?? [];
  return [
    ...inherited.flatMap((event) => takeOver(fact.runId, event)),
    ...(fact.retryOf === null
      ? []
      : [
          updateRow("runs", [fact.retryOf], {
            open: false,
            supersededBy: fact.runId,
            retryFrom: null,
            dueAt: null,
            endedAt: at,
          }),
        ]),
    insertRow("runs", startedRun(fact, at)),
    // What a person asked for is asked for once, however the run ends.
    ...(fact.trigger === "manual" && fact.retryOf === null
      ? [updateRow("handlers", [fact.handler], { calledAt: null })]
      : []),
  ];
}

function startedRun(fact: RunStarted, at: number): RunRow {
  return {
    runId: fact.runId,
    handler: fact.handler,
    kind: fact.handlerKind,
    phase: fact.phase,
    status: "active",
    reason: null,
    dueAt: null,
    retryOf: fact.retryOf,
    rootRunId: fact.rootRunId,
    supersededBy: null,
    retryFrom: null,
    open: true,
    asOf: fact.asOf,
    trigger: fact.inherits?.trigger ?? fact.trigger,
    selectionId: fact.inherits?.selectionId ?? null,
    uiTitle: fact.inherits?.uiTitle ?? null,
    prepareResult: fact.inherits?.prepareResult ?? null,
    preparedAt: fact.inherits?.preparedAt ?? null,
    outcome: fact.inherits?.outcome ?? null,
    mutationId: fact.inherits?.mutationId ?? null,
    version: fact.version,
    transientCount: fact.transientCount,
    failure: null,
    startedAt: at,
    endedAt: null,
    scriptHash: fact.scriptHash,
    deployers: fact.deployers ?? null,
    itemId: null,
    activeMs: 0,
  };
}

function preparedRows(fact: RunPrepared, { at }: JournalRecord): RowChange[] {
  return [
    ...fact.reservations.flatMap((event) => pin(fact.runId, event)),
    updateRow("runs", [fact.runId], {
      phase: "prepared",
      asOf: fact.asOf,
      prepareResult: fact.prepareResult,
      preparedAt: at,
      selectionId: fact.selectionId,
      uiTitle: fact.uiTitle,
      // One that reserved nothing keeps the reason it was started for.
      ...(fact.trigger === null ? {} : { trigger: fact.trigger }),
      ...activeTime(fact),
    }),
    updateRow("handlers", [fact.handler], { wakeAt: fact.wakeAt }),
  ];
}

/** The reservation row comes first: the database lets no event be reserved without one. */
function pin(runId: string, event: ReservedEvent): RowChange[] {
  return [
    reservation(runId, event),
    updateRow("events", [event.topic, event.messageId], {
      status: "reserved",
      reservedBy: runId,
      deliveryCount: event.deliveryCount,
    }),
  ];
}

/** The event stays reserved: to name its status again would be to take an edge it does not have. */
function takeOver(runId: string, event: ReservedEvent): RowChange[] {
  const { topic, messageId, deliveryCount } = event;
  return [
    reservation(runId, event),
    updateRow("events", [topic, messageId], { reservedBy: runId, deliveryCount }),
  ];
}

function reservation(runId: string, event: ReservedEvent): RowChange {
  const { topic, messageId, revision, attempt } = event;
  return insertRow("reservations", { runId, topic, messageId, revision, attempt });
}

/** Events first: the database lets no run close while it holds one. */
function committedRows(fact: RunCommitted, { at }: JournalRecord): RowChange[] {
  const handler: Partial<HandlerRow> = { crashCount: 0 };
  if (fact.state !== null) handler.state = fact.state;
  if (fact.checkedThrough !== null) handler.checkedThrough = fact.checkedThrough;
  if (fact.handlerKind !== "consumer") handler.nextRunAt = fact.nextRunAt;
  if (fact.waitingCount !== null) handler.waitingCount = fact.waitingCount;
  return [
    ...fact.events.map(({ topic, messageId }) =>
      updateRow("events", [topic, messageId], { status: fact.disposition, reservedBy: null }),
    ),
    ...fact.kv.map((write) => kvRow(fact.handler, write)),
    ...fact.deliveries.map((inputId) =>
      updateRow("deliveries", [inputId], { status: "taken", runId: fact.runId }),
    ),
    updateRow("runs", [fact.runId], {
      phase: "committed",
      status: "committed",
      open: false,
      endedAt: at,
      ...activeTime(fact),
    }),
    updateRow("handlers", [fact.handler], handler),
  ];
}

function kvRow(handler: string, { key, value, known }: KvWrite): RowChange {
  if (value === null) return deleteRow("handler_kv", [handler, key]);
  return known
    ? updateRow("handler_kv", [handler, key], { value })
    : insertRow("handler_kv", { handler, key, value });
}
