import type { RowKey, Rows, TableName } from "@holdfast/core";
import { tableCodecs, workflowColumn } from "../columns.ts";
import type { Database } from "./connection.ts";
import { storeError } from "./errors.ts";
import { columnList, plainValues } from "./found-row.ts";
import type { PostgresRow } from "./lent-connection.ts";
import { requireWorkflow } from "./load.ts";

const rowsPerFetch = 1_000;

type Scan = { readonly workflow: string; readonly table: TableName; readonly under: RowKey };

/** Rows come out as they are fetched; whoever stops in between gives the connection up. */
export async function* scanTable<T extends TableName>(
  database: Database,
  scan: Scan & { readonly table: T },
): AsyncIterable<Rows[T]> {
  const { workflow, table, under } = scan;
  const { decodeRow } = tableCodecs[table];
  const decode = (row: PostgresRow) => decodeRow(plainValues(row)) as Rows[T];
  const few = `${scanSql(scan)} LIMIT ${rowsPerFetch + 1}`;
  const rows = await database.rows("scan", few, [workflow, ...under]);
  if (rows.length === 0) await requireWorkflow(database, "scan", workflow);
  if (rows.length <= rowsPerFetch) yield* rows.map(decode);
  else for await (const row of scanWithCursor(database, scan)) yield decode(row);
}

/** A cursor sees the moment it was opened at, however long the reading takes. */
async function* scanWithCursor(database: Database, scan: Scan): AsyncIterable<PostgresRow> {
  const connection = await database.lendAside("scan");
  try {
    await connection.rows("BEGIN READ ONLY");
    await connection.rows(`DECLARE each_row NO SCROLL CURSOR FOR ${scanSql(scan)}`, [
      scan.workflow,
      ...scan.under,
    ]);
    for (;;) {
      const rows = await connection.rows(`FETCH ${rowsPerFetch} FROM each_row`);
      yield* rows;
      if (rows.length < rowsPerFetch) break;
    }
    await connection.rows("COMMIT");
    connection.giveBack();
  } catch (error) {
    throw storeError(error, { place: database.place, doing: "scan" });
  } finally {
    database.takeBack(connection);
  }
}

function scanSql({ table, under }: Scan): string {
  const { key } = tableCodecs[table];
  const names = key.map((name) => `"${name}"`).join();
  const order = names === "" ? "" : `ORDER BY ${names}`;
  const there = table === "workflows" ? ` AND "name" IS NOT NULL` : "";
  const prefix = under.map((_, index) => ` AND "${key[index]}" = $${index + 2}`).join("");
  return `SELECT ${columnList(table)} FROM holdfast.${table}
    WHERE "${workflowColumn(table)}" = $1${there}${prefix} ${order}`;
}
