import { type Blob, type Hash, HostError, hashText, type Instant, invariant } from "@holdfast/core";
import { missingBlob } from "../store-errors.ts";
import type { Connection } from "./connection.ts";
import { requireWorkflow } from "./load.ts";
import { inRows, textsForRows } from "./several-rows.ts";

/** A blob that is there already keeps its bytes; its grace time starts anew. */
const insertBlobs = textsForRows(
  "INSERT INTO blobs (workflow, hash, size, bytes, touched_at) VALUES ",
  "(?, ?, ?, ?, ?)",
  " ON CONFLICT (workflow, hash) DO UPDATE SET touched_at = max(touched_at, excluded.touched_at)",
);

export function persistBlobs(
  connection: Connection,
  workflow: string,
  blobs: readonly Blob[],
  now: Instant,
): void {
  for (const some of inRows(blobs)) {
    const values = some.flatMap(({ hash, bytes }) => [workflow, hash, bytes.length, bytes, now]);
    connection.run(insertBlobs(some.length), ...values);
    connection.atBoundary?.("blob written");
  }
}

export function loadBlob(connection: Connection, workflow: string, hash: Hash): Uint8Array {
  const sql = "SELECT bytes FROM blobs WHERE workflow = ? AND hash = ?";
  const [bytes] = connection.row(sql, workflow, hash) ?? [];
  if (bytes === undefined) {
    requireWorkflow(connection, workflow);
    throw missingBlob(workflow, hash);
  }
  invariant(bytes instanceof Uint8Array, "blobs.bytes is a blob");
  if (hashText(bytes) === hash) return bytes;
  throw new HostError("BLOB_CORRUPT", {
    what: `The bytes of payload ${hash} of ${workflow} have another hash.`,
    remedy: "Check the disk and restore the payload from a backup.",
    retry: "safe",
    details: { workflow, hash },
  });
}
