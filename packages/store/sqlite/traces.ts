import type { Change, Instant, KeptTrace, Seq } from "@holdfast/core";
import type { Connection, SqliteRow } from "./connection.ts";
import type { BulkQuery } from "./journal.ts";

const insertTrace = "INSERT INTO traces (workflow, seq, run_id, at, text) VALUES (?, ?, ?, ?, ?)";
const forgetTraces = "DELETE FROM traces WHERE workflow = ? AND seq <= ?";
const pruneOldest = `
DELETE FROM traces WHERE rowid IN (SELECT rowid FROM traces WHERE at < ? ORDER BY at LIMIT ?)`;

/** Runs inside the change, so that a run's end and what led to it are there together or not. */
export function persistTrace(connection: Connection, change: Change): void {
  const { workflow, expectedHead, records, trace, forgetTracesThrough: through } = change;
  if (trace !== null) {
    const seq = expectedHead + records.length;
    connection.run(insertTrace, workflow, seq, trace.runId, trace.at, trace.text);
    connection.atBoundary?.("trace written");
  }
  if (through !== null) connection.run(forgetTraces, workflow, through);
}

export function traceQuery(workflow: string, after: Seq, limit: number): BulkQuery {
  const sql = `SELECT seq, run_id, at, text FROM traces WHERE workflow = ? AND seq > ?
    ORDER BY seq LIMIT ?`;
  return { sql, values: [workflow, after, limit] };
}

export function decodeTrace([seq, runId, at, text]: SqliteRow): KeptTrace {
  return { seq: Number(seq), runId: String(runId), at: Number(at), text: String(text) };
}

/** Runs inside a write. */
export function pruneTraces(connection: Connection, before: Instant, limit: number): number {
  const count = connection.run(pruneOldest, before, limit);
  connection.atBoundary?.("traces pruned");
  return count;
}
