import {
  type ListedTable,
  type ListName,
  type ListQuery,
  listShapes,
  type Rows,
} from "@holdfast/core";
import { type SqlValue, tableCodecs } from "../columns.ts";
import { countSql, type ListDialect, type ListSql, listSql } from "../list-sql.ts";
import type { Database } from "./connection.ts";
import { plainBytes } from "./found-row.ts";
import { requireWorkflow } from "./load.ts";

const dialect: ListDialect = { table: (name) => `holdfast.${name}`, value: (no) => `$${no}` };

export function pageSql(query: ListQuery<ListName>): ListSql {
  return listSql(query, dialect);
}

export async function listRows<L extends ListName>(
  database: Database,
  query: ListQuery<L>,
): Promise<readonly Rows[ListedTable<L>][]> {
  const { sql, values } = pageSql(query);
  const rows = await database.rows("list rows", sql, values);
  if (rows.length === 0) await requireWorkflow(database, "list rows", query.workflow);
  const { decodeRow } = tableCodecs[listShapes[query.list].table];
  const plain = (value: unknown) => (value instanceof Uint8Array ? plainBytes(value) : value);
  return rows.map((row) => decodeRow(row.map(plain) as readonly SqlValue[])) as never;
}

export async function countRows(database: Database, query: ListQuery<ListName>): Promise<number> {
  const { sql, values } = countSql(query, dialect);
  const [[count] = []] = await database.rows("count rows", sql, values);
  if (Number(count) === 0) await requireWorkflow(database, "count rows", query.workflow);
  return Number(count);
}
