import { type Blob, type Hash, type Instant, invariant } from "@holdfast/core";
import { hashOfPart, partName, partNames } from "../part-names.ts";
import { persistBlobs } from "./blobs.ts";
import type { Connection } from "./connection.ts";
import { requireWorkflow } from "./load.ts";

/** Runs inside the change that names them. */
export function persistParts(
  connection: Connection,
  workflow: string,
  parts: readonly Blob[],
  now: Instant,
): void {
  const named = parts.map(({ hash, bytes }) => ({ hash: partName(hash) as Hash, bytes }));
  persistBlobs(connection, workflow, named, now);
}

export function loadParts(
  connection: Connection,
  workflow: string,
  hashes: readonly Hash[],
): readonly (Uint8Array | null)[] {
  requireWorkflow(connection, workflow);
  const sql = "SELECT bytes FROM blobs WHERE workflow = ? AND hash = ?";
  return hashes.map((hash) => {
    const [bytes = null] = connection.row(sql, workflow, partName(hash)) ?? [];
    invariant(bytes === null || bytes instanceof Uint8Array, "blobs.bytes is a blob");
    return bytes;
  });
}

export function listParts(
  connection: Connection,
  workflow: string,
  after: Hash | null,
  limit: number,
): readonly Hash[] {
  requireWorkflow(connection, workflow);
  const sql = `SELECT hash FROM blobs WHERE workflow = ? AND hash > ? AND hash < ?
    ORDER BY hash LIMIT ?`;
  const from = after === null ? partNames.after : partName(after);
  const rows = connection.rows(sql, workflow, from, partNames.before, limit);
  return rows.map(([name]) => hashOfPart(name));
}

const sweepPart = "DELETE FROM blobs WHERE workflow = ? AND hash = ? AND touched_at < ?";

/** Runs inside a write. */
export function sweepParts(
  connection: Connection,
  workflow: string,
  hashes: readonly Hash[],
  before: Instant,
): number {
  requireWorkflow(connection, workflow);
  let count = 0;
  for (const hash of hashes) {
    count += connection.run(sweepPart, workflow, partName(hash), before);
    connection.atBoundary?.("part swept");
  }
  return count;
}
