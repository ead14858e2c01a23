import {
  assertNever,
  deliveriesPerRunMax,
  type Hash,
  type Head,
  keyOf,
  keyText,
  type Loaded,
  machineInputsMax,
  type Need,
  type RowKey,
  type Rows,
  type TableName,
  type TableRow,
  tableNames,
} from "@holdfast/core";
import { type SqlValue, tableCodecs } from "../columns.ts";
import { unknownWorkflow } from "../store-errors.ts";
import type { Connection } from "./connection.ts";
import { columnList, keySql } from "./row-statements.ts";

export type Control = { readonly head: Head; readonly epoch: number };

/** Nothing can be committed in between: loading is one synchronous stretch. */
export function loadNeeds(
  connection: Connection,
  workflow: string,
  needs: readonly Need[],
  { head, epoch }: Control = loadControl(connection, workflow),
): Loaded {
  const collected = new Collected(connection, workflow);
  for (const need of needs) collected.add(need);
  return { workflow, head, epoch, rows: collected.rows, absent: collected.absent, needs };
}

export function loadControl(connection: Connection, workflow: string): Control {
  const sql = "SELECT head, head_hash, head_at, epoch FROM workflows WHERE id = ?";
  const row = connection.row(sql, workflow);
  if (row === undefined) throw unknownWorkflow(workflow);
  const [seq, hash, at, epoch] = row;
  return {
    head: { seq: Number(seq), hash: String(hash) as Hash, at: Number(at) },
    epoch: Number(epoch),
  };
}

/** Rows in the order they were asked for, each once. */
class Collected {
  readonly rows: TableRow[] = [];
  readonly absent: { table: TableName; key: RowKey }[] = [];
  readonly #seen = new Set<string>();
  readonly #missed = new Set<string>();
  readonly #connection: Connection;
  readonly #workflow: string;

  constructor(connection: Connection, workflow: string) {
    this.#connection = connection;
    this.#workflow = workflow;
  }

  add(need: Need): void {
    switch (need.kind) {
      case "base":
        return this.#addBase();
      case "row":
        return this.#addRow(need.table, need.key);
      case "input":
        this.#select("inputs", "WHERE workflow = ? AND input_id = ?", need.inputId);
        this.#select("deliveries", "WHERE workflow = ? AND input_id = ?", need.inputId);
        for (const event of this.#select("events", eventsOfInput, need.inputId)) {
          this.#addUses(event);
        }
        return;
      case "uses":
        return this.#addUses(need);
      case "run":
        this.#select("runs", "WHERE workflow = ? AND run_id = ?", need.runId);
        this.#select("reservations", "WHERE workflow = ? AND run_id = ?", need.runId);
        this.#select("events", eventsOfRun, need.runId);
        this.#select("mutations", "WHERE workflow = ? AND run_id = ?", need.runId);
        return;
      case "mutation_key":
        this.#select("mutations", "WHERE workflow = ? AND mutation_key = ?", need.mutationKey);
        return;
      case "item":
        this.#select("items", "WHERE workflow = ? AND item_id = ?", need.itemId);
        this.#select("mutations", mutationsOfItem(need.everyAttempt), need.itemId);
        return;
      case "oldest_pending":
        this.#select("events", oldestPending);
        return;
      case "machine_inputs":
        this.#select("machine_inputs", machineInputs);
        return;
      case "waiting_deliveries":
        this.#select("deliveries", waitingDeliveries, need.handler);
        return;
      default:
        assertNever(need, "need");
    }
  }

  #addBase(): void {
    this.#select("workflows", "WHERE id = ? AND name IS NOT NULL");
    this.#select("topics", "WHERE workflow = ?");
    this.#select("handlers", "WHERE workflow = ?");
    this.#select("brakes", "WHERE workflow = ?");
    this.#select("attentions", "WHERE workflow = ? AND closed_at IS NULL");
    this.#addIntents();
    const [run] = this.#select("runs", "WHERE workflow = ? AND open = 1");
    if (run === undefined) return;
    this.#select("reservations", "WHERE workflow = ? AND run_id = ?", run.runId);
    this.#select("events", "WHERE workflow = ? AND reserved_by = ?", run.runId);
    if (run.kind !== "job") {
      this.#select("mutations", "WHERE workflow = ? AND run_id = ?", run.runId);
    }
    if (run.itemId !== null) {
      this.#select("items", "WHERE workflow = ? AND item_id = ?", run.itemId);
    }
    if (run.mutationId !== null) {
      this.#select("mutations", "WHERE workflow = ? AND mutation_id = ?", run.mutationId);
    }
  }

  #addUses({ topic, messageId }: { readonly topic: string; readonly messageId: string }): void {
    for (const { usedBy } of this.#select("event_uses", usesOfEvent, topic, messageId)) {
      this.#select("runs", "WHERE workflow = ? AND run_id = ?", usedBy);
      this.#select("mutations", "WHERE workflow = ? AND run_id = ?", usedBy);
      this.#select("attentions", "WHERE workflow = ? AND attention_id = ?", usedBy);
    }
    this.#select("machine_inputs", waitingOfEvent, topic, messageId);
  }

  #addIntents(): void {
    for (const { mutationId, itemId } of this.#select("runs", openIntents)) {
      this.#select("mutations", "WHERE workflow = ? AND mutation_id = ?", mutationId);
      this.#select("items", "WHERE workflow = ? AND item_id = ?", itemId);
    }
  }

  #addRow(table: TableName, key: RowKey): void {
    const { length } = this.#select(table, byKey[table], ...key);
    if (length > 0) return;
    const name = `${table} ${keyText(key)}`;
    if (this.#missed.has(name)) return;
    this.#missed.add(name);
    this.absent.push({ table, key });
  }

  #select<T extends TableName>(
    table: T,
    where: string,
    ...values: readonly SqlValue[]
  ): readonly Rows[T][] {
    const sql = selectSql(table, where);
    const codec = tableCodecs[table];
    const rows = this.#connection
      .rows(sql, this.#workflow, ...values)
      .map((found) => codec.decodeRow(found) as Rows[T]);
    for (const row of rows) this.#keep(table, row);
    return rows;
  }

  #keep<T extends TableName>(table: T, row: Rows[T]): void {
    const name = `${table} ${keyOf(table, row)}`;
    if (this.#seen.has(name)) return;
    this.#seen.add(name);
    this.rows.push({ table, row } as unknown as TableRow);
  }
}

const byKey = Object.fromEntries(
  tableNames.map((table) => [table, `WHERE ${keySql(table)}`]),
) as Readonly<Record<TableName, string>>;

const selects = new Map<TableName, Map<string, string>>(
  tableNames.map((table) => [table, new Map()]),
);

/** Made once: putting the text together would take as long as many of these queries do. */
function selectSql(table: TableName, where: string): string {
  const known = selects.get(table)?.get(where);
  if (known !== undefined) return known;
  const sql = `SELECT ${columnList(table)} FROM ${table} ${where}`;
  selects.get(table)?.set(where, sql);
  return sql;
}

const eventsOfInput = `
AS e WHERE e.workflow = ?1 AND (e.topic, e.message_id) IN (
    SELECT topic, message_id FROM event_inputs WHERE workflow = ?1 AND input_id = ?2)
ORDER BY e.position`;

const usesOfEvent = "WHERE workflow = ? AND topic = ? AND message_id = ?";

/** It was received in the fact after the one that published the event. */
const waitingOfEvent = `
WHERE workflow = ?1 AND position = (
    SELECT position + 1 FROM events WHERE workflow = ?1 AND topic = ?2 AND message_id = ?3)`;

const eventsOfRun = `
AS e WHERE e.workflow = ?1 AND (e.topic, e.message_id) IN (
    SELECT topic, message_id FROM reservations WHERE workflow = ?1 AND run_id = ?2)
ORDER BY e.position`;

const ofCurrentAttempt = `
WHERE workflow = ?1 AND item_id = ?2
  AND attempt = (SELECT attempt FROM items WHERE workflow = ?1 AND item_id = ?2)`;

function mutationsOfItem(everyAttempt = false): string {
  return everyAttempt ? "WHERE workflow = ?1 AND item_id = ?2" : ofCurrentAttempt;
}

const openIntents = `WHERE workflow = ? AND "trigger" = 'intent' AND ended_at IS NULL`;

const machineInputs = `WHERE workflow = ? ORDER BY position LIMIT ${machineInputsMax}`;

const waitingDeliveries = `
WHERE workflow = ? AND handler = ? AND status = 'waiting'
ORDER BY position LIMIT ${deliveriesPerRunMax}`;

/** One probe of the unsettled index per topic, however many events it has. */
const oldestPending = `
WHERE rowid IN (
  SELECT (
    SELECT e.rowid FROM events AS e INDEXED BY events_unsettled
    WHERE e.workflow = t.workflow AND e.topic = t.name
      AND e.position >= t.low_water AND (e.status = 'pending' OR e.status = 'reserved')
      AND e.status = 'pending'
    ORDER BY e.position LIMIT 1)
  FROM topics t WHERE t.workflow = ?1 AND t.subscriber IS NOT NULL)`;

export function requireWorkflow(connection: Connection, workflow: string): void {
  const found = connection.row("SELECT 1 FROM workflows WHERE id = ?", workflow);
  if (found === undefined) throw unknownWorkflow(workflow);
}
