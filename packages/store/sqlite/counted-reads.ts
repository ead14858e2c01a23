import {
  type Change,
  type ChargedTo,
  countedForMs,
  type ReadsOf,
  type Spent,
} from "@holdfast/core";
import type { Connection, SqliteRow } from "./connection.ts";
import { requireWorkflow } from "./load.ts";

const countRead = `
INSERT INTO counted_reads (workflow, read_id, run_id, connection, operation, at, amount, budget)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (workflow, read_id) DO UPDATE SET amount = excluded.amount`;

const forgetReads = `
DELETE FROM counted_reads
WHERE workflow = ? AND connection = ? AND operation = ? AND at < ?`;

/** Runs inside the change: whoever is no longer the owner counts nothing. */
export function persistCounted(connection: Connection, { workflow, counted = [] }: Change): void {
  for (const read of counted) {
    const { readId, runId, connection: of, operation, at, amount, budget } = read;
    connection.run(countRead, workflow, readId, runId, of, operation, at, amount, budget);
    connection.run(forgetReads, workflow, of, operation, at - countedForMs);
    connection.atBoundary?.("read counted");
  }
}

/** Walks the part of the index that lies in the window. */
const readsSince = `
SELECT count(*), total(amount), min(at) FROM counted_reads
WHERE workflow = ?1 AND connection = ?2 AND operation = ?3 AND at > ?4
  AND (?5 IS NULL OR run_id = ?5)`;

export function sumReads(
  connection: Connection,
  workflow: string,
  { connection: of, operation, after, runId }: ReadsOf,
): Spent {
  requireWorkflow(connection, workflow);
  return spentOf(connection.row(readsSince, workflow, of, operation, after, runId));
}

const readsOfBudget = `
SELECT count(*), total(amount), min(at) FROM counted_reads
WHERE budget = ?1 AND budget IS NOT NULL AND at > ?2`;

const readsOfRun = `
SELECT count(*), total(amount), min(at) FROM counted_reads INDEXED BY counted_reads_by_run
WHERE workflow = ?3 AND run_id = ?4 AND budget = ?1 AND budget IS NOT NULL AND at > ?2`;

export function sumReadsOf(connection: Connection, { budget, run, after }: ChargedTo): Spent {
  if (run === undefined) return spentOf(connection.row(readsOfBudget, budget, after));
  return spentOf(connection.row(readsOfRun, budget, after, run.workflow, run.runId));
}

function spentOf(row: SqliteRow | undefined): Spent {
  const [count, amount, oldestAt] = row ?? [];
  return {
    count: Number(count),
    amount: Math.min(Number(amount), Number.MAX_SAFE_INTEGER),
    oldestAt: typeof oldestAt === "number" ? oldestAt : null,
  };
}
