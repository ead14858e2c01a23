import type { RowChange, RowKey, TableName } from "@holdfast/core";
import { type ColumnCodec, type SqlValue, tableCodecs, workflowColumn } from "../columns.ts";
import { findKeyMisfit, findMisfit, type Misfit } from "../fit.ts";
import type { Connection } from "./connection.ts";
import { rowsAtOnce, textsForRows } from "./several-rows.ts";

/**
 * A change that must not land: a rule of the port itself, or a constraint of the database, said
 * no. Everything the change wrote is rolled back; its neighbours in the group are not touched.
 */
export class ChangeRefused extends Error {
  readonly constraint: string;

  constructor(constraint: string, note: string) {
    super(note);
    this.constraint = constraint;
  }
}

type Insert = Extract<RowChange, { op: "insert" }>;
type Update = Extract<RowChange, { op: "update" }>;
type Delete = Extract<RowChange, { op: "delete" }>;

/** A projected workflow row is part of the control row, there once it has a name. */
const workflowThere = `"id" = ? AND "name" IS NOT NULL`;

const quoted = (name: string): string => `"${name}"`;
const assigned = (name: string): string => `"${name}" = ?`;

/**
 * Executes row changes in order: triggers judge each step, so none are merged, but for rows of one
 * table that go one after the other.
 */
export class RowStatements {
  readonly #connection: Connection;
  readonly #inserts = new Map<TableName, string>();
  readonly #deletes = new Map<TableName, string>();
  readonly #deletesOfSeveral = new Map<TableName, (count: number) => string>();
  readonly #updates = new Map<string, { sql: string; codecs: readonly ColumnCodec[] }>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** How many of them it took: the one there, or it and others that are one statement with it. */
  executeFrom(at: number, workflow: string, changes: readonly RowChange[]): number {
    const change = changes[at];
    if (change === undefined) return 0;
    if (change.op === "delete") {
      const keys = deletedFrom(at, changes, change.table);
      if (keys.length > 1) {
        this.#deleteAll(workflow, change.table, keys);
        return keys.length;
      }
    }
    this.#execute(workflow, change);
    return 1;
  }

  #execute(workflow: string, change: RowChange): void {
    switch (change.op) {
      case "insert":
        return this.#insert(workflow, change);
      case "update":
        return this.#update(workflow, change);
      case "delete":
        return this.#delete(workflow, change);
      case "reopen_topic":
        return this.#reopenTopic(workflow, change.topic, change.revision);
      case "clear_kv":
        this.#connection.run(
          "DELETE FROM handler_kv WHERE workflow = ? AND handler = ?",
          workflow,
          change.handler,
        );
    }
  }

  #insert(workflow: string, { table, row }: Insert): void {
    refuseMisfit(findMisfit(table, row, true));
    let sql = this.#inserts.get(table);
    if (sql === undefined) {
      sql = insertSql(table);
      this.#inserts.set(table, sql);
    }
    const values: SqlValue[] = table === "workflows" ? [] : [workflow];
    (tableCodecs[table].encodeRow as (row: unknown, into: SqlValue[]) => void)(row, values);
    if (table === "workflows") values.push(workflow);
    if (this.#connection.run(sql, ...values) === 1) return;
    throw new ChangeRefused("row_exists", `the row of workflow ${workflow} is there already`);
  }

  #update(workflow: string, { table, key, set }: Update): void {
    refuseMisfit(findKeyMisfit(table, key) ?? findMisfit(table, set, false));
    const properties = Object.keys(set);
    if (properties.length === 0) return this.#expectRow(workflow, table, key);
    const shape = `${table} ${properties.join()}`;
    let plan = this.#updates.get(shape);
    if (plan === undefined) {
      plan = updatePlan(table, properties);
      this.#updates.set(shape, plan);
    }
    const given: Readonly<Record<string, unknown>> = set;
    const values: SqlValue[] = [];
    for (const codec of plan.codecs) codec.encode(given[codec.property], values);
    values.push(workflow, ...key);
    if (this.#connection.run(plan.sql, ...values) !== 1) throw missing(table, key);
  }

  #delete(workflow: string, { table, key }: Delete): void {
    refuseMisfit(findKeyMisfit(table, key));
    let sql = this.#deletes.get(table);
    if (sql === undefined) {
      sql = deleteSql(table);
      this.#deletes.set(table, sql);
    }
    if (this.#connection.run(sql, workflow, ...key) !== 1) throw missing(table, key);
  }

  #deleteAll(workflow: string, table: TableName, keys: readonly RowKey[]): void {
    for (const key of keys) refuseMisfit(findKeyMisfit(table, key));
    let texts = this.#deletesOfSeveral.get(table);
    if (texts === undefined) {
      texts = textsForRows(deleteSeveralSql(table), "?", ")");
      this.#deletesOfSeveral.set(table, texts);
    }
    const deletedCount = this.#connection.run(texts(keys.length), workflow, ...keys.flat());
    if (deletedCount !== keys.length) throw missing(table, keys.flat());
  }

  /** The low-water mark goes first: then no row has to lower it again. */
  #reopenTopic(workflow: string, topic: string, revision: number): void {
    this.#connection.run(
      "UPDATE topics SET low_water = 0 WHERE workflow = ? AND name = ?",
      workflow,
      topic,
    );
    this.#connection.run(
      `UPDATE events SET status = 'pending', attempt = attempt + 1, revision = ?
       WHERE workflow = ? AND topic = ? AND (status = 'consumed' OR status = 'skipped')`,
      revision,
      workflow,
      topic,
    );
  }

  #expectRow(workflow: string, table: TableName, key: RowKey): void {
    const sql = `SELECT 1 FROM ${table} WHERE ${keySql(table)}`;
    if (this.#connection.row(sql, workflow, ...key) === undefined) throw missing(table, key);
  }
}

export function refuseMisfit(misfit: Misfit | null): void {
  if (misfit !== null) throw new ChangeRefused(misfit.constraint, misfit.note);
}

function missing(table: TableName, key: RowKey): ChangeRefused {
  return new ChangeRefused("row_missing", `${table} has no row ${JSON.stringify(key)}`);
}

/** Parameters: workflow id, then the key. */
export function keySql(table: TableName): string {
  if (table === "workflows") return workflowThere;
  return [workflowColumn(table), ...tableCodecs[table].key].map(assigned).join(" AND ");
}

function insertSql(table: TableName): string {
  const names = tableCodecs[table].columns.map((column) => column.name);
  if (table === "workflows") {
    return `UPDATE workflows SET ${names.map(assigned).join()} WHERE "id" = ? AND "name" IS NULL`;
  }
  const all = [workflowColumn(table), ...names];
  return `INSERT INTO ${table} (${all.map(quoted).join()}) VALUES (${all.map(() => "?").join()})`;
}

function updatePlan(
  table: TableName,
  properties: readonly string[],
): { sql: string; codecs: readonly ColumnCodec[] } {
  const { find, isKey } = tableCodecs[table];
  const fixed = properties.find(isKey);
  if (fixed !== undefined) {
    throw new ChangeRefused("key_fixed", `${table}.${fixed} is part of the key`);
  }
  const codecs = properties.map(find);
  const names = codecs.flatMap((codec) => codec.columns.map((column) => column.name));
  return {
    sql: `UPDATE ${table} SET ${names.map(assigned).join()} WHERE ${keySql(table)}`,
    codecs,
  };
}

function deleteSql(table: TableName): string {
  if (table !== "workflows") return `DELETE FROM ${table} WHERE ${keySql(table)}`;
  const names = tableCodecs.workflows.columns.map((column) => `"${column.name}" = NULL`);
  return `UPDATE workflows SET ${names.join()} WHERE ${workflowThere}`;
}

function deleteSeveralSql(table: TableName): string {
  const [key = ""] = tableCodecs[table].key;
  return `DELETE FROM ${table} WHERE ${assigned(workflowColumn(table))} AND ${quoted(key)} IN (`;
}

/** Keys of rows that go from there on, of one table whose key is one column. */
function deletedFrom(at: number, changes: readonly RowChange[], table: TableName): RowKey[] {
  const keys: RowKey[] = [];
  for (const change of changes.slice(at, at + rowsAtOnce)) {
    if (change.op !== "delete" || change.table !== table || change.key.length !== 1) break;
    keys.push(change.key);
  }
  return keys;
}

/** Selected in the order that the table's codec decodes. */
export function columnList(table: TableName, alias?: string): string {
  const prefix = alias === undefined ? "" : `${alias}.`;
  return tableCodecs[table].columns.map((column) => `${prefix}"${column.name}"`).join(", ");
}
