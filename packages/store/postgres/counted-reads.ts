import { type Change, countedForMs, invariant, type ReadsOf, type Spent } from "@holdfast/core";
import type { Database } from "./connection.ts";
import { rowsOfWorkflow } from "./load.ts";
import type { RowStep } from "./row-statements.ts";

const countRead = `
INSERT INTO holdfast.counted_reads
  (workflow, read_id, run_id, connection, operation, at, amount, budget)
SELECT workflow, read_id, run_id, connection, operation, at, amount, budget
FROM jsonb_to_recordset($1) AS n (workflow text, read_id text, run_id text, connection text,
  operation text, at bigint, amount bigint, budget text)
ON CONFLICT (workflow, read_id) DO UPDATE SET amount = excluded.amount`;

const forgetReads = `
DELETE FROM holdfast.counted_reads AS t
USING jsonb_to_recordset($1) AS n (workflow text, connection text, operation text, before bigint)
WHERE t.workflow = n.workflow AND t.connection = n.connection AND t.operation = n.operation
  AND t.at < n.before`;

/** Steps of the change itself: whoever is no longer the owner counts nothing. */
export function countedSteps({ workflow, counted = [] }: Change): readonly RowStep[] {
  return counted.flatMap((read) => {
    const { readId, runId, connection, operation, at, amount, budget } = read;
    const of = { workflow, connection, operation };
    const row = { ...of, read_id: readId, run_id: runId, at, amount, budget };
    const old = { ...of, before: at - countedForMs };
    const own = { constraint: "row_exists", touchedRow: null } as const;
    return [
      { ...own, sql: countRead, touches: 1, row },
      { ...own, sql: forgetReads, touches: null, row: old },
    ];
  });
}

export async function sumReads(
  database: Database,
  workflow: string,
  { connection, operation, after, runId }: ReadsOf,
): Promise<Spent> {
  const sql = "SELECT * FROM holdfast.sum_reads_1($1, $2, $3, $4, $5)";
  const values = [workflow, connection, operation, after, runId];
  const [found] = await rowsOfWorkflow(database, workflow, { name: "sum reads", sql, values });
  invariant(found !== undefined, "sum_reads_1 answers one row");
  const [count, amount, oldestAt] = found as [number, number, number | null];
  return { count, amount, oldestAt };
}
