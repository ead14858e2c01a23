import { type Change, isSoundText, type RowChange, type TableName } from "@holdfast/core";
import { type SqlColumn, type SqlValue, tableCodecs, workflowColumn } from "../columns.ts";
import { findAsideMisfit, findKeyMisfit, findMisfit, type Misfit } from "../fit.ts";

type JsonValue = null | number | string;
type JsonRow = Record<string, JsonValue>;

/** One row for one statement. Rows of the same statement can be written together. */
export type RowStep = {
  readonly sql: string;
  /** Rows that each given row has to touch; null = any number. */
  readonly touches: 1 | null;
  /** Broken if it does not. */
  readonly constraint: string;
  readonly row: JsonRow;
  /**
   * The row it touches. Null = it must be the only row of its change in the statement, because a
   * constraint looks at other rows of the table, or it touches many.
   */
  readonly touchedRow: string | null;
};

/** Constraints of these look from row to row: one open run, one live mutation. */
const lookAside: ReadonlySet<TableName> = new Set(["workflows", "runs", "mutations"]);

type Refusal = readonly [constraint: string, note: string];

/** Why a change must not land, as far as it can be said without the database; null = it may. */
export function findFault(change: Change): Refusal | null {
  const { expectedHead, records, rows, dueAt, settledBelow } = change;
  if (dueAt !== null && !Number.isSafeInteger(dueAt)) return notFitting("dueAt");
  for (const { topic, position } of settledBelow) {
    if (!isSoundText(topic) || !Number.isSafeInteger(position)) return notFitting("settledBelow");
  }
  for (const [index, { seq }] of records.entries()) {
    const expected = expectedHead + 1 + index;
    if (seq !== expected) {
      return ["records_contiguous", `record ${seq} where ${expected} belongs`];
    }
  }
  const aside = findAsideMisfit(change);
  if (aside !== null) return [aside.constraint, aside.note];
  for (const row of rows) {
    const found = findRowMisfit(row);
    if (found !== null) return [found.constraint, found.note];
    if (row.op !== "update") continue;
    const fixed = Object.keys(row.set).find(tableCodecs[row.table].isKey);
    if (fixed !== undefined) return ["key_fixed", `${row.table}.${fixed} is part of the key`];
  }
  return null;
}

function findRowMisfit(change: RowChange): Misfit | null {
  switch (change.op) {
    case "insert":
      return findMisfit(change.table, change.row, true);
    case "update":
      return findKeyMisfit(change.table, change.key) ?? findMisfit(change.table, change.set, false);
    case "delete":
      return findKeyMisfit(change.table, change.key);
    case "reopen_topic":
      return isSoundText(change.topic) ? null : misfit("topic");
    case "clear_kv":
      return isSoundText(change.handler) ? null : misfit("handler");
  }
}

function misfit(what: string): Misfit {
  return { constraint: "value_fits_column", note: `${what} is not what it has to be` };
}

function notFitting(what: string): Refusal {
  const { constraint, note } = misfit(what);
  return [constraint, note];
}

export function stepsOf(workflow: string, change: RowChange): readonly RowStep[] {
  switch (change.op) {
    case "insert":
      return [insertStep(workflow, change)];
    case "update":
      return [updateStep(workflow, change)];
    case "delete":
      return [deleteStep(workflow, change)];
    case "reopen_topic":
      return reopenSteps(workflow, change);
    case "clear_kv":
      return [anyStep(clearKv, { workflow, handler: change.handler })];
  }
}

type Insert = Extract<RowChange, { op: "insert" }>;
type Update = Extract<RowChange, { op: "update" }>;
type Delete = Extract<RowChange, { op: "delete" }>;
type ReopenTopic = Extract<RowChange, { op: "reopen_topic" }>;

const statements = new Map<string, string>();

/** The set of texts is small: one for each table, kind of change and list of named columns. */
function statement(name: string, write: () => string): string {
  const known = statements.get(name) ?? write();
  statements.set(name, known);
  return known;
}

function insertStep(workflow: string, { table, row: given }: Insert): RowStep {
  const row: JsonRow = { [workflowColumn(table)]: workflow };
  // What is null is left out: a column that is not named is null.
  encodeInto(row, table, given, false);
  const sql = statement(`insert ${table}`, () => insertSql(table));
  return { sql, touches: 1, constraint: "row_exists", row, touchedRow: rowName(table, row) };
}

function updateStep(workflow: string, { table, key, set }: Update): RowStep {
  const row = keyRow(workflow, table, key);
  encodeInto(row, table, set, true);
  const properties = Object.keys(set);
  const sql = statement(`update ${table} ${properties.join()}`, () => updateSql(table, properties));
  return { sql, touches: 1, constraint: "row_missing", row, touchedRow: rowName(table, row) };
}

function deleteStep(workflow: string, { table, key }: Delete): RowStep {
  const row = keyRow(workflow, table, key);
  const sql = statement(`delete ${table}`, () => deleteSql(table));
  return { sql, touches: 1, constraint: "row_missing", row, touchedRow: rowName(table, row) };
}

/** The low-water mark goes first: then no row has to lower it again. */
function reopenSteps(workflow: string, { topic, revision }: ReopenTopic): readonly RowStep[] {
  return [
    anyStep(sinkLowWater, { workflow, topic }),
    anyStep(reopenTopic, { workflow, topic, revision }),
  ];
}

function anyStep(sql: string, row: JsonRow): RowStep {
  return { sql, touches: null, constraint: "row_missing", row, touchedRow: null };
}

function rowName(table: TableName, row: JsonRow): string | null {
  if (lookAside.has(table)) return null;
  return JSON.stringify(tableCodecs[table].key.map((name) => row[name]));
}

function keyRow(workflow: string, table: TableName, key: readonly (string | number)[]): JsonRow {
  const row: JsonRow = { [workflowColumn(table)]: workflow };
  for (const [index, name] of tableCodecs[table].key.entries()) row[name] = key[index] ?? null;
  return row;
}

function encodeInto(row: JsonRow, table: TableName, given: object, withNulls: boolean): void {
  const { find } = tableCodecs[table];
  const values: SqlValue[] = [];
  for (const [property, value] of Object.entries(given)) {
    const { columns, encode } = find(property);
    values.length = 0;
    encode(value, values);
    for (let index = 0; index < columns.length; index++) {
      const name = columns[index]?.name ?? "";
      const encoded = values[index] ?? null;
      if (withNulls || encoded !== null) row[name] = jsonValue(encoded);
    }
  }
}

function jsonValue(value: SqlValue): JsonValue {
  if (!(value instanceof Uint8Array)) return value;
  return `\\x${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("hex")}`;
}

const sqlTypes = { TEXT: "text", INTEGER: "bigint", BLOB: "bytea" } as const;
const typed = ({ name, type }: SqlColumn): string => `"${name}" ${sqlTypes[type]}`;
const quoted = (name: string): string => `"${name}"`;

/** The rows of a step, as a table `n`. */
function given(table: TableName, columns: readonly SqlColumn[]): string {
  const list = [`"${workflowColumn(table)}" text`, ...columns.map(typed)];
  return `jsonb_to_recordset($1) AS n (${list.join()})`;
}

function keyColumns(table: TableName): readonly SqlColumn[] {
  const { columns, key } = tableCodecs[table];
  return columns.filter(({ name }) => key.includes(name));
}

/** A projected workflow row is part of the control row, there once it has a name. */
function sameKey(table: TableName): string {
  if (table === "workflows") return `t."id" = n."id" AND t."name" IS NOT NULL`;
  const names = ["workflow", ...tableCodecs[table].key];
  return names.map((name) => `t."${name}" = n."${name}"`).join(" AND ");
}

function insertSql(table: TableName): string {
  const { columns } = tableCodecs[table];
  if (table === "workflows") {
    const set = columns.map(({ name }) => `"${name}" = n."${name}"`);
    return `UPDATE holdfast.workflows AS t SET ${set.join()} FROM ${given(table, columns)}
      WHERE t."id" = n."id" AND t."name" IS NULL`;
  }
  const names = [workflowColumn(table), ...columns.map(({ name }) => name)].map(quoted).join();
  return `INSERT INTO holdfast.${table} (${names}) SELECT ${names} FROM ${given(table, columns)}`;
}

/** Only the columns that the change names: triggers judge a status that is named. */
function updateSql(table: TableName, properties: readonly string[]): string {
  const { find } = tableCodecs[table];
  const named = properties.flatMap((property) => find(property).columns);
  const workflow = workflowColumn(table);
  const set = named.map(({ name }) => `"${name}" = n."${name}"`);
  const all = set.length === 0 ? [`"${workflow}" = t."${workflow}"`] : set;
  const from = given(table, [...keyColumns(table), ...named]);
  return `UPDATE holdfast.${table} AS t SET ${all.join()} FROM ${from} WHERE ${sameKey(table)}`;
}

function deleteSql(table: TableName): string {
  const from = given(table, keyColumns(table));
  if (table !== "workflows") {
    return `DELETE FROM holdfast.${table} AS t USING ${from} WHERE ${sameKey(table)}`;
  }
  const set = tableCodecs.workflows.columns.map(({ name }) => `"${name}" = NULL`);
  return `UPDATE holdfast.workflows AS t SET ${set.join()} FROM ${from} WHERE ${sameKey(table)}`;
}

const sinkLowWater = `
SELECT holdfast.set_low_water_1(n.workflow, n.topic, 0)
FROM jsonb_to_recordset($1) AS n (workflow text, topic text)`;

const reopenTopic = `
UPDATE holdfast.events AS t SET status = 'pending', attempt = attempt + 1, revision = n.revision
FROM jsonb_to_recordset($1) AS n (workflow text, topic text, revision bigint)
WHERE t.workflow = n.workflow AND t.topic = n.topic AND t.status IN ('consumed', 'skipped')`;

const clearKv = `
DELETE FROM holdfast.handler_kv AS t
USING jsonb_to_recordset($1) AS n (workflow text, handler text)
WHERE t.workflow = n.workflow AND t.handler = n.handler`;
