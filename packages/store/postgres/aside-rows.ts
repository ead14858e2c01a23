import { type AsidePage, type AsideRow, type AsideTable, asideShapes } from "@holdfast/core";
import { asideRow, asideValues, isNothing } from "../aside-columns.ts";
import type { SqlValue } from "../columns.ts";
import type { Database } from "./connection.ts";
import { plainValues } from "./found-row.ts";

/** For moving a store: rows of tables that nothing is folded into, as they are. */
export async function readAside(
  database: Database,
  { table, workflow, after, limit }: AsidePage,
): Promise<readonly AsideRow[]> {
  const { key, columns, flags } = asideShapes[table];
  const names = columns.map((name) => (flags.includes(name) ? `${name}::int` : name));
  const values: unknown[] = [];
  const put = (value: unknown) => `$${values.push(value)}`;
  const where: string[] = [];
  if (workflow !== null) where.push(`workflow = ${put(workflow)}`);
  if (after !== null) {
    where.push(`(${key.join()}) > (${key.map((name) => put(after[name])).join()})`);
  }
  const sql = `SELECT ${names.join()} FROM holdfast.${table}
    WHERE ${where.join(" AND ") || "true"} ORDER BY ${key.join()} LIMIT ${put(limit)}`;
  const rows = await database.rows("export", sql, values);
  const found = rows.map((row) => asideRow(table, plainValues(row)));
  return found.filter((row) => !isNothing(table, row));
}

type Aside = {
  readonly table: AsideTable;
  readonly workflow: string | null;
  readonly rows: readonly AsideRow[];
};

/** What is the store's may be there already, with nothing in it. */
export async function persistAside(
  database: Database,
  { table, workflow, rows }: Aside,
): Promise<void> {
  if (rows.length === 0) return;
  const { key, columns, flags } = asideShapes[table];
  const names = workflow === null ? columns : ["workflow", ...columns];
  const values: unknown[] = [];
  const put = (value: SqlValue, name: string) => {
    const place = `$${values.push(value instanceof Uint8Array ? Buffer.from(value) : value)}`;
    return flags.includes(name) ? `${place}::int::boolean` : place;
  };
  const lines = rows.map((row) => {
    const line = asideValues(table, row).map((value, index) => put(value, columns[index] ?? ""));
    return `(${[...(workflow === null ? [] : [put(workflow, "workflow")]), ...line].join()})`;
  });
  const set = columns.map((name) => `${name} = excluded.${name}`).join();
  const instead = workflow === null ? `ON CONFLICT (${key.join()}) DO UPDATE SET ${set}` : "";
  const sql = `INSERT INTO holdfast.${table} (${names.join()}) VALUES ${lines.join()} ${instead}`;
  await database.rows("import", sql, values);
}
