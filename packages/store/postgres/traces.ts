import type { Change, Instant, KeptTrace, Seq } from "@holdfast/core";
import type { Database } from "./connection.ts";
import { requireWorkflow } from "./load.ts";
import type { RowStep } from "./row-statements.ts";

const insertTrace = `
INSERT INTO holdfast.traces (workflow, seq, run_id, at, text)
SELECT workflow, seq, run_id, at, text FROM jsonb_to_recordset($1)
  AS n (workflow text, seq bigint, run_id text, at bigint, text text)`;

const forgetTraces = `
DELETE FROM holdfast.traces AS t USING jsonb_to_recordset($1) AS n (workflow text, through bigint)
WHERE t.workflow = n.workflow AND t.seq <= n.through`;

/** Steps of the change itself: a run's end and what led to it are there together or not. */
export function traceSteps(change: Change): readonly RowStep[] {
  const { workflow, expectedHead, records, trace, forgetTracesThrough: through } = change;
  const steps: RowStep[] = [];
  if (trace !== null) {
    const { runId, at, text } = trace;
    const row = { workflow, seq: expectedHead + records.length, run_id: runId, at, text };
    const touchedRow = workflow;
    steps.push({ sql: insertTrace, touches: 1, constraint: "row_exists", row, touchedRow });
  }
  if (through !== null) {
    const row = { workflow, through };
    const constraint = "row_missing";
    steps.push({ sql: forgetTraces, touches: null, constraint, row, touchedRow: null });
  }
  return steps;
}

const kept = `
SELECT seq, run_id, at, text FROM holdfast.traces WHERE workflow = $1 AND seq > $2
ORDER BY seq LIMIT $3`;

export async function readTraces(
  database: Database,
  workflow: string,
  { after, limit }: { readonly after: Seq; readonly limit: number },
): Promise<readonly KeptTrace[]> {
  const rows = await database.rows("read traces", kept, [workflow, after, limit]);
  if (rows.length === 0) await requireWorkflow(database, "read traces", workflow);
  return rows.map(([seq, runId, at, text]) => {
    return { seq: Number(seq), runId: String(runId), at: Number(at), text: String(text) };
  });
}

export async function pruneTraces(
  database: Database,
  store: string,
  { before, limit }: { readonly before: Instant; readonly limit: number },
): Promise<number> {
  const sql = "SELECT holdfast.prune_traces_1($1, $2, $3)";
  const [count] = (await database.row("prune traces", sql, [store, before, limit])) ?? [];
  return Number(count);
}
