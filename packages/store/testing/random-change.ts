import {
  deleteRow,
  eventStatuses,
  insertRow,
  ledgerStates,
  type RowChange,
  runPhases,
  runStatuses,
  updateRow,
  workflowStatuses,
} from "@holdfast/core";
import fc from "fast-check";
import {
  attentionRow,
  eventRow,
  handlerRow,
  inputRow,
  mutationInputRow,
  mutationRow,
  payloadOf,
  reservationRow,
  runRow,
  topicRow,
  workflowRow,
} from "./row-builder.ts";

/**
 * Row changes that no right core would order, over so few keys that they keep meeting each other:
 * what two stores must judge alike.
 */

const runId = fc.constantFrom("run-1", "run-2", "run-3");
const messageId = fc.constantFrom("m-1", "m-2", "m-3");
const mutationId = fc.constantFrom("mutation-1", "mutation-2");
const attempt = fc.constantFrom(1, 2);
const noRun = fc.constant(null);

const eventSet = fc.oneof(
  fc.constantFrom(...eventStatuses).map((status) => ({ status, reservedBy: null })),
  runId.map((reservedBy) => ({ status: "reserved" as const, reservedBy })),
  fc.record({ attempt, revision: fc.nat(9) }),
  fc.record(
    { status: fc.constantFrom(...eventStatuses), reservedBy: fc.oneof(runId, noRun), attempt },
    { requiredKeys: [] },
  ),
);

const runSet = fc.record(
  {
    open: fc.boolean(),
    status: fc.constantFrom(...runStatuses),
    phase: fc.constantFrom(...runPhases),
    retryOf: fc.oneof(runId, noRun),
  },
  { requiredKeys: [] },
);

/** Not in the order of the ids, and never the same: one fact publishes one event. */
const positions: Readonly<Record<string, number>> = { "m-1": 30, "m-2": 10, "m-3": 20 };

/** Where a random life starts, so that most updates find their row. */
export const startingRows: readonly RowChange[] = [
  insertRow("workflows", workflowRow()),
  insertRow("topics", topicRow("orders")),
  ...Object.entries(positions).map(([id, position]) =>
    insertRow("events", eventRow(id, { position })),
  ),
  insertRow("runs", runRow("run-1")),
  insertRow("runs", runRow("run-2", { open: false, status: "failed:logic" })),
  insertRow("reservations", reservationRow("run-1", "m-1")),
  insertRow("reservations", reservationRow("run-1", "m-2")),
  insertRow("reservations", reservationRow("run-2", "m-3")),
  insertRow("mutations", mutationRow("mutation-1")),
];

const eventRows = fc.oneof(
  fc
    .tuple(messageId, eventSet)
    .map(([id, set]) =>
      insertRow("events", eventRow(id, { ...set, position: positions[id] ?? 0 })),
    ),
  fc.tuple(messageId, eventSet).map(([id, set]) => updateRow("events", ["orders", id], set)),
  fc.tuple(messageId, eventSet).map(([id, set]) => updateRow("events", ["orders", id], set)),
  messageId.map((id) => deleteRow("events", ["orders", id])),
);

const runRows = fc.oneof(
  fc.tuple(runId, runSet).map(([id, set]) => insertRow("runs", runRow(id, set))),
  fc.tuple(runId, runSet).map(([id, set]) => updateRow("runs", [id], set)),
  runId.map((id) => deleteRow("runs", [id])),
);

const reservationRows = fc
  .tuple(runId, messageId, fc.boolean())
  .map(([run, id, gone]) =>
    gone
      ? deleteRow("reservations", [run, "orders", id])
      : insertRow("reservations", reservationRow(run, id)),
  );

const state = fc.constantFrom(...ledgerStates);
const mutationRows = fc.oneof(
  fc
    .record({ id: mutationId, runId, state })
    .map(({ id, ...set }) => insertRow("mutations", mutationRow(id, set))),
  fc
    .tuple(mutationId, fc.record({ state, runId }, { requiredKeys: [] }))
    .map(([id, set]) => updateRow("mutations", [id], set)),
  mutationId.map((id) => deleteRow("mutations", [id])),
);

const mutationInputRows = fc
  .tuple(messageId, attempt, fc.boolean())
  .map(([id, number, gone]) =>
    gone
      ? deleteRow("mutation_inputs", ["book", "orders", id, number])
      : insertRow("mutation_inputs", mutationInputRow(id, { attempt: number })),
  );

const movedInputs = fc
  .tuple(messageId, attempt, fc.constantFrom("mutation-1", "unknown"))
  .map(([id, number, to]) =>
    updateRow("mutation_inputs", ["book", "orders", id, number], { mutationId: to }),
  );

/** What the types would stop, beside what they let through. */
const untypedRows = fc
  .tuple(
    fc.constantFrom("title", "position", "status", "payload", "causedBy", "colour"),
    fc.constantFrom<unknown>(undefined, null, "x", "7", 7, 7.5, true, [], ["x"], {}, "\uD800"),
    messageId,
    fc.boolean(),
  )
  .map(([column, value, id, isNew]) => {
    const position = (positions[id] ?? 0) + (isNew ? 1 : 2);
    const set = { [column]: column === "position" && value === 7 ? position : value };
    return isNew
      ? insertRow("events", eventRow(`${id}-new`, { position, ...set }))
      : updateRow("events", ["orders", id], set);
  });

const otherRows = fc.oneof(
  fc.constantFrom(...workflowStatuses).map((status) => updateRow("workflows", [], { status })),
  fc.constant(insertRow("workflows", workflowRow())),
  fc.nat(3).map((inboxThrough) => updateRow("workflows", [], { inboxThrough })),
  fc
    .boolean()
    .map((gone) =>
      gone ? deleteRow("topics", ["orders"]) : insertRow("topics", topicRow("orders")),
    ),
  fc.constant(insertRow("handlers", handlerRow("book"))),
  fc.constant(insertRow("attentions", attentionRow("a"))),
  fc.nat(1).map((at) => updateRow("attentions", ["a"], { closedAt: at === 0 ? null : at })),
  fc.constant(insertRow("inputs", inputRow("in-1"))),
  messageId.map((id) =>
    insertRow("event_inputs", { inputId: "in-1", topic: "orders", messageId: id }),
  ),
  fc
    .constantFrom("a", "b")
    .map((key) => insertRow("handler_kv", { handler: "poll", key, value: payloadOf(key) })),
);

const wholeTables: fc.Arbitrary<RowChange> = fc.oneof(
  fc.nat(9).map((revision) => ({ op: "reopen_topic", topic: "orders", revision }) as const),
  fc.constant({ op: "clear_kv", handler: "poll" } as const),
);

export const randomRowChange: fc.Arbitrary<RowChange> = fc.oneof(
  { weight: 6, arbitrary: eventRows },
  { weight: 4, arbitrary: runRows },
  { weight: 4, arbitrary: reservationRows },
  { weight: 3, arbitrary: mutationRows },
  { weight: 3, arbitrary: mutationInputRows },
  { weight: 1, arbitrary: movedInputs },
  { weight: 2, arbitrary: untypedRows },
  { weight: 3, arbitrary: otherRows },
  { weight: 1, arbitrary: wholeTables },
);
