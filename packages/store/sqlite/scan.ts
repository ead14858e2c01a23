import type { RowKey, TableName } from "@holdfast/core";
import { tableCodecs, workflowColumn } from "../columns.ts";
import type { BulkQuery } from "./journal.ts";
import { columnList } from "./row-statements.ts";

export function scanQuery(workflow: string, table: TableName, under: RowKey): BulkQuery {
  const { key } = tableCodecs[table];
  const names = key.map((name) => `"${name}"`).join();
  const order = names === "" ? "" : `ORDER BY ${names}`;
  const there = table === "workflows" ? ` AND "name" IS NOT NULL` : "";
  const prefix = under.map((_, index) => ` AND "${key[index]}" = ?`).join("");
  const sql = `SELECT ${columnList(table)} FROM ${table}
    WHERE "${workflowColumn(table)}" = ?${there}${prefix} ${order}`;
  return { sql, values: [workflow, ...under] };
}
