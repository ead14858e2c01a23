import { type Hash, HostError, hashText, invariant } from "@holdfast/core";
import { missingBlob } from "../store-errors.ts";
import type { Database } from "./connection.ts";
import { plainBytes } from "./found-row.ts";
import { requireWorkflow } from "./load.ts";

export async function loadBlob(
  database: Database,
  workflow: string,
  hash: Hash,
): Promise<Uint8Array> {
  const sql = "SELECT bytes FROM holdfast.blobs WHERE workflow = $1 AND hash = $2";
  const [found] = (await database.row("load blob", sql, [workflow, hash])) ?? [];
  if (found === undefined) {
    await requireWorkflow(database, "load blob", workflow);
    throw missingBlob(workflow, hash);
  }
  invariant(found instanceof Uint8Array, "blobs.bytes is bytes");
  const bytes = plainBytes(found);
  if (hashText(bytes) === hash) return bytes;
  throw new HostError("BLOB_CORRUPT", {
    what: `The bytes of payload ${hash} of ${workflow} have another hash.`,
    remedy: "Check the disk and restore the payload from a backup.",
    retry: "safe",
    details: { workflow, hash },
  });
}
