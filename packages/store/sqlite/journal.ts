import {
  genesisHash,
  type Hash,
  type Instant,
  type JournalEntry,
  type Seq,
  type WorkflowSummary,
} from "@holdfast/core";
import { requireBytes, type SqlValue } from "../columns.ts";
import type { Connection, SqliteRow } from "./connection.ts";
import { findStoreBrake, tellOfStoreBrake } from "./store-brake.ts";

/** Runs inside a write. */
export function createWorkflow(
  connection: Connection,
  workflow: string,
  now: Instant,
): { created: boolean } {
  const sql = "INSERT INTO workflows (id, head_hash) VALUES (?, ?) ON CONFLICT (id) DO NOTHING";
  const created = connection.run(sql, workflow, genesisHash) === 1;
  if (created && findStoreBrake(connection) !== null) tellOfStoreBrake(connection, workflow, now);
  connection.atBoundary?.("workflow created");
  return { created };
}

/** The queries of this file may run on any connection; the rows are decoded by the caller. */
export type BulkQuery = { readonly sql: string; readonly values: readonly SqlValue[] };

export function journalQuery(workflow: string, after: Seq, limit: number): BulkQuery {
  const sql = `SELECT seq, hash, bytes FROM journal WHERE workflow = ? AND seq > ?
    ORDER BY seq LIMIT ?`;
  return { sql, values: [workflow, after, limit] };
}

export function decodeEntry([seq, hash, bytes]: SqliteRow): JournalEntry {
  return {
    seq: Number(seq),
    hash: String(hash) as Hash,
    bytes: requireBytes(bytes, "journal.bytes"),
  };
}

export function summaryQuery(after: string | null, limit: number): BulkQuery {
  const from = after === null ? "id >= ?" : "id > ?";
  const sql = `SELECT id, head, head_hash, head_at, epoch, owner, due_at, fact_version,
      inbox_tail
    FROM workflows WHERE ${from} ORDER BY id LIMIT ?`;
  return { sql, values: [after ?? "", limit] };
}

export function decodeSummary(row: SqliteRow): WorkflowSummary {
  const [id, head, hash, at, epoch, owner, dueAt, factVersion, inboxTail] = row;
  return {
    workflow: String(id),
    head: { seq: Number(head), hash: String(hash) as Hash, at: Number(at) },
    epoch: Number(epoch),
    owner: owner === null ? null : String(owner),
    dueAt: dueAt === null ? null : Number(dueAt),
    factVersion: Number(factVersion),
    inboxTail: Number(inboxTail),
  };
}
