import {
  eventStatusEdges,
  itemStatusEdges,
  keyText,
  ledgerStateEdges,
  type Rows,
  runPhaseEdges,
  runStatusEdges,
  type TableName,
  workflowStatusEdges,
} from "@holdfast/core";
import type { ConstraintName } from "../constraint-names.ts";
import { wordsOf } from "../words.ts";
import { type IndexName, inIndex, keysOf } from "./indexes.ts";
import type { RowWrite, WorkflowState } from "./workflow-state.ts";

/** A row about to be written; `named` are the columns an update sets, null for other writes. */
export type JudgedWrite<T extends TableName> = RowWrite<T> & {
  readonly named: Partial<Rows[T]> | null;
};

/** What the write would break, in words; null = nothing. */
type Judge<T extends TableName> = (state: WorkflowState, write: JudgedWrite<T>) => string | null;
type Constraint<T extends TableName> = readonly [name: ConstraintName, judge: Judge<T>];

export type Violation = { readonly constraint: ConstraintName; readonly note: string };

/** Judged in this order, before the row is written; the first that is broken is the answer. */
const constraints: { readonly [T in TableName]?: readonly Constraint<T>[] } = {
  workflows: [edge("workflow_edge", "status", workflowStatusEdges)],
  runs: [
    edge("run_status_edge", "status", runStatusEdges),
    edge("run_phase_edge", "phase", runPhaseEdges),
    [
      "one_open_run",
      (state, write) => taken(state, "openRuns", write, write.after?.open ? inIndex : null),
    ],
    ["retry_once", (state, write) => taken(state, "runsByRetryOf", write, write.after?.retryOf)],
    ["run_closes_without_events", closesWithoutEvents],
  ],
  events: [
    ["events_kept", (_, { after, key }) => (after === null ? `event ${key} is kept` : null)],
    edge("event_edge", "status", eventStatusEdges),
    ["event_reserved_iff_held", reservedIffHeld],
    ["reservation_exists", heldWithReservation],
    ["event_behind_mutation", notPendingBehindMutation],
  ],
  reservations: [["reservation_exists", reservationNotNeeded]],
  mutations: [
    edge("ledger_edge", "state", ledgerStateEdges),
    ["one_live_mutation", onlyLiveMutation],
    ["item_mutation_once", onceInItem],
    ["mutations_kept", (_, { after, key }) => (after === null ? `mutation ${key} is kept` : null)],
  ],
  items: [
    edge("item_edge", "status", itemStatusEdges),
    ["items_kept", (_, { after, key }) => (after === null ? `item ${key} is kept` : null)],
  ],
  machine_frames: [
    ["machine_frames_kept", (_, { before, key }) => (before ? `frame ${key} is kept` : null)],
    ["machine_frame_follows", followsLastFrame],
  ],
  proposals: [["proposals_kept", proposalKept]],
  mutation_inputs: [
    ["event_behind_mutation", inputNotPending],
    ["mutation_inputs_kept", inputUnchanged],
    ["mutation_inputs_kept", inputOfFailedMutation],
  ],
};

export function findViolation<T extends TableName>(
  state: WorkflowState,
  write: JudgedWrite<T>,
  enforced: ReadonlySet<ConstraintName>,
): Violation | null {
  const strange = enforced.has("word_known") ? findStrangeWord(write) : null;
  if (strange !== null) return { constraint: "word_known", note: strange };
  const ofTable: readonly Constraint<T>[] | undefined = constraints[write.table];
  for (const [constraint, judge] of ofTable ?? []) {
    if (!enforced.has(constraint)) continue;
    const note = judge(state, write);
    if (note !== null) return { constraint, note };
  }
  return null;
}

function findStrangeWord<T extends TableName>(write: JudgedWrite<T>): string | null {
  const { table, key, after } = write;
  if (after === null) return null;
  const values = after as Readonly<Record<string, unknown>>;
  for (const [column, words] of wordsOf.get(table) ?? []) {
    const word = values[column];
    if (word === null || words.includes(String(word))) continue;
    return `${table} ${key}: ${column} has no word ${word}`;
  }
  return null;
}

type Edges = Readonly<Record<string, readonly string[]>>;

/** An update that names the column takes an edge, even from a word to itself. */
function edge<T extends TableName>(
  name: ConstraintName,
  column: keyof Rows[T],
  edges: Edges,
): Constraint<T> {
  return [
    name,
    (_, { before, after, named, key }) => {
      if (before === null || after === null || named === null || !(column in named)) return null;
      const from = String(before[column]);
      const to = String(after[column]);
      return edges[from]?.includes(to) ? null : `${key}: ${from} does not lead to ${to}`;
    },
  ];
}

/** Another row than the written one has the value already. */
function taken(
  state: WorkflowState,
  index: IndexName,
  write: { readonly key: string },
  value: string | null | undefined,
): string | null {
  if (value === null || value === undefined) return null;
  for (const key of keysOf(state.indexes, index, value)) {
    if (key !== write.key) return `${write.key}: ${key} is there already`;
  }
  return null;
}

function closesWithoutEvents(
  state: WorkflowState,
  { before, after, key }: JudgedWrite<"runs">,
): string | null {
  if (!before?.open || after === null || after.open) return null;
  const held = keysOf(state.indexes, "eventsByHolder", key).size;
  return held === 0 ? null : `run ${key} still holds ${held} event(s)`;
}

function reservedIffHeld(_: WorkflowState, { after, key }: JudgedWrite<"events">): string | null {
  if (after === null || (after.status === "reserved") === (after.reservedBy !== null)) return null;
  return `event ${key} is ${after.status} and held by ${after.reservedBy ?? "nobody"}`;
}

function heldWithReservation(
  state: WorkflowState,
  { after, key }: JudgedWrite<"events">,
): string | null {
  if (after === null || after.reservedBy === null) return null;
  const reservation = keyText([after.reservedBy, after.topic, after.messageId]);
  if (state.tables.reservations.has(reservation)) return null;
  return `event ${key} is held by ${after.reservedBy}, which has no reservation of it`;
}

function reservationNotNeeded(
  state: WorkflowState,
  { before, after, key }: JudgedWrite<"reservations">,
): string | null {
  if (before === null || after !== null) return null;
  const event = state.tables.events.get(keyText([before.topic, before.messageId]));
  return event?.reservedBy === before.runId ? `the event of reservation ${key} is held` : null;
}

function notPendingBehindMutation(
  state: WorkflowState,
  { after, key }: JudgedWrite<"events">,
): string | null {
  if (after?.status !== "pending") return null;
  const behind = keyText([after.topic, after.messageId, after.attempt]);
  if (keysOf(state.indexes, "mutationInputsByEvent", behind).size === 0) return null;
  return `event ${key} is behind a mutation in attempt ${after.attempt}`;
}

function inputNotPending(
  state: WorkflowState,
  { after }: JudgedWrite<"mutation_inputs">,
): string | null {
  if (after === null) return null;
  const key = keyText([after.topic, after.messageId]);
  const event = state.tables.events.get(key);
  if (event?.status !== "pending" || event.attempt !== after.attempt) return null;
  return `event ${key} is pending in attempt ${after.attempt}`;
}

function inputUnchanged(
  _: WorkflowState,
  { named, key }: JudgedWrite<"mutation_inputs">,
): string | null {
  if (named === null || Object.keys(named).length === 0) return null;
  return `input ${key} stays as it is`;
}

function inputOfFailedMutation(
  state: WorkflowState,
  { before, after, key }: JudgedWrite<"mutation_inputs">,
): string | null {
  if (before === null || after !== null) return null;
  const mutation = state.tables.mutations.get(before.mutationId);
  if (mutation?.state === "failed") return null;
  const is = mutation?.state ?? "not in the ledger";
  return `input ${key} is behind mutation ${before.mutationId}, which is ${is}`;
}

function onlyLiveMutation(state: WorkflowState, write: JudgedWrite<"mutations">): string | null {
  const { after, named, key } = write;
  if (named !== null && "runId" in named) return `mutation ${key} stays with its run`;
  if (after === null || after.state === "failed") return null;
  if (after.itemId === null) return taken(state, "liveMutationsByRun", write, after.runId);
  if (write.before !== null) return null;
  return (
    taken(state, "openMutationsByRun", write, after.runId) ??
    taken(state, "openMutationsByItem", write, after.itemId)
  );
}

function onceInItem(state: WorkflowState, write: JudgedWrite<"mutations">): string | null {
  const { before, after, named, key } = write;
  const fixed = ["itemId", "attempt", "mutationKey"].find((column) => named && column in named);
  if (fixed !== undefined) return `${fixed} of mutation ${key} stays as it is`;
  if (after === null || before !== null || after.itemId === null) return null;
  if (after.state === "failed") return null;
  return taken(state, "liveMutationsByKey", write, after.mutationKey);
}

function proposalKept(
  _: WorkflowState,
  { before, after, key }: JudgedWrite<"proposals">,
): string | null {
  const isFinal = before?.status === "rejected" || before?.status === "applied";
  return after === null || isFinal ? `proposal ${key} is kept` : null;
}

function followsLastFrame(
  state: WorkflowState,
  { before, after }: JudgedWrite<"machine_frames">,
): string | null {
  if (before !== null || after === null) return null;
  const last = Math.max(0, ...[...state.tables.machine_frames.values()].map((f) => f.lastSeq));
  return after.firstSeq === last + 1 ? null : `frame ${after.firstSeq} does not follow ${last}`;
}
