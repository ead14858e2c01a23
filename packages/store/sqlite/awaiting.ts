import type { BulkQuery } from "./journal.ts";

/** The calls of one executor are walked in the order of its index. */
export function awaitingQuery(executor: string, after: string | null, limit: number): BulkQuery {
  const from = after === null ? "workflow >= ?" : "workflow > ?";
  const sql = `SELECT DISTINCT workflow FROM mutations
    WHERE awaits_executor = ? AND ${from} ORDER BY workflow LIMIT ?`;
  return { sql, values: [executor, after ?? "", limit] };
}
