import { itemStatusEdges } from "../item/item-status.ts";
import { ledgerStateEdges } from "../mutation/ledger-state.ts";
import { invariant } from "../ports/invariant.ts";
import { proposalStatusEdges } from "../proposal/proposal-status.ts";
import { runPhaseEdges } from "../run/run-phase.ts";
import { runStatusEdges } from "../run/run-status.ts";
import { deliveryStatusEdges } from "../topic/delivery-status.ts";
import { eventStatusEdges } from "../topic/event-status.ts";
import { changed, type RowChange } from "../view/row-change.ts";
import type { Rows } from "../view/rows.ts";
import { keyText, type TableName } from "../view/tables.ts";
import type { View } from "../view/view.ts";
import { workflowStatusEdges } from "../workflow/workflow-status.ts";
import { project } from "./project.ts";
import type { JournalRecord } from "./record.ts";

type Edges = Readonly<Record<string, readonly string[]>>;

/** Every column that may only move along declared edges. */
const edgesOf: { readonly [T in TableName]?: Readonly<Record<string, Edges>> } = {
  workflows: { status: workflowStatusEdges },
  events: { status: eventStatusEdges },
  deliveries: { status: deliveryStatusEdges },
  runs: { status: runStatusEdges, phase: runPhaseEdges },
  mutations: { state: ledgerStateEdges },
  items: { status: itemStatusEdges },
  proposals: { status: proposalStatusEdges },
};

const noEdges = {};

/**
 * The only way state changes. Live decisions, recovery, replay and verification all fold this
 * function over the same records; it refuses what no decision could have produced.
 */
export function apply(view: View, record: JournalRecord): View {
  applyProjected(view, record, project(record));
  return view;
}

/** For who needs the rows of the record besides: answers with those that change something. */
export function applyProjected(
  view: View,
  record: JournalRecord,
  rows: readonly RowChange[],
): readonly RowChange[] {
  const isNext = record.seq === view.head.seq + 1;
  invariant(isNext, () => `record ${record.seq} after ${view.head.seq}`);
  const changing = rows.filter((change) => {
    if (change.op === "update") return update(view, change.table, change.key, change.set);
    applyRow(view, change);
    return true;
  });
  const { hash, at } = view.head;
  view.head = { seq: record.seq, hash, at: Math.max(at, record.at) };
  return changing;
}

export function applyRow(view: View, change: RowChange): void {
  switch (change.op) {
    case "insert":
      return insert(view, change.table, change.row);
    case "update":
      update(view, change.table, change.key, change.set);
      return;
    case "delete":
      return view.remove(change.table, change.key);
    case "reopen_topic":
      return reopenTopic(view, change.topic, change.revision);
    case "clear_kv":
      for (const row of [...view.rows("handler_kv")]) {
        if (row.handler === change.handler) view.remove("handler_kv", [row.handler, row.key]);
      }
  }
}

function insert<T extends TableName>(view: View, table: T, row: Rows[T]): void {
  view.put(table, row);
}

/** False = it says what is so already: a store need not hear of it. */
function update<T extends TableName>(
  view: View,
  table: T,
  key: readonly (string | number)[],
  set: Partial<Rows[T]>,
): boolean {
  if (!view.keeps(table)) return true;
  const before = view.find(table, ...key);
  invariant(before !== null, () => `${table} ${keyText(key)} is changed but does not exist`);
  if (isIdle(table, before, set)) return false;
  checkEdges(table, before, set);
  view.put(table, changed(before, set));
  return true;
}

/** What has edges is never idle: to name it again would be to take an edge it does not have. */
function isIdle<T extends TableName>(table: T, before: Rows[T], set: Partial<Rows[T]>): boolean {
  const edges = edgesOf[table] ?? noEdges;
  for (const column in set) if (before[column] !== set[column] || column in edges) return false;
  return true;
}

function checkEdges<T extends TableName>(table: T, before: Rows[T], set: Partial<Rows[T]>): void {
  const columns = edgesOf[table];
  if (!columns) return;
  for (const column in columns) {
    const edges = columns[column];
    const from = (before as Record<string, unknown>)[column] as string;
    const to = (set as Record<string, unknown>)[column] as string | undefined;
    if (to === undefined) continue;
    const isLegal = edges?.[from]?.includes(to);
    invariant(isLegal, () => `${table}.${column} may not go from ${from} to ${to}`);
  }
}

function reopenTopic(view: View, topic: string, revision: number): void {
  for (const row of [...view.rows("events")]) {
    const settled = row.status === "consumed" || row.status === "skipped";
    if (row.topic !== topic || !settled) continue;
    view.put("events", { ...row, status: "pending", attempt: row.attempt + 1, revision });
  }
}
