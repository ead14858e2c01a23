import type { Hash } from "@holdfast/core";
import { hashOfPart, partName, partNames } from "../part-names.ts";
import type { Database } from "./connection.ts";
import { plainBytes } from "./found-row.ts";
import { requireWorkflow } from "./load.ts";

const named = `
SELECT hash, bytes FROM holdfast.blobs WHERE workflow = $1 AND hash = ANY ($2::text[])`;

export async function loadParts(
  database: Database,
  workflow: string,
  hashes: readonly Hash[],
): Promise<readonly (Uint8Array | null)[]> {
  const rows = await database.rows("load parts", named, [workflow, hashes.map(partName)]);
  if (rows.length === 0) await requireWorkflow(database, "load parts", workflow);
  const found = new Map(rows.map(([name, bytes]) => [hashOfPart(name), bytes as Uint8Array]));
  return hashes.map((hash) => {
    const bytes = found.get(hash);
    return bytes === undefined ? null : plainBytes(bytes);
  });
}

const inOrder = `
SELECT hash FROM holdfast.blobs WHERE workflow = $1 AND hash > $2 AND hash < $3
ORDER BY hash LIMIT $4`;

export async function listParts(
  database: Database,
  workflow: string,
  { after, limit }: { readonly after: Hash | null; readonly limit: number },
): Promise<readonly Hash[]> {
  const from = after === null ? partNames.after : partName(after);
  const values = [workflow, from, partNames.before, limit];
  const rows = await database.rows("list parts", inOrder, values);
  if (rows.length === 0) await requireWorkflow(database, "list parts", workflow);
  return rows.map(([name]) => hashOfPart(name));
}

/** A change that gives a part again has its row locked: it is judged by what that leaves. */
const sweep = `
WITH swept AS (
  DELETE FROM holdfast.blobs AS b USING (SELECT holdfast.admit_1($1) IS NULL AS admitted) AS a
  WHERE b.workflow = $2 AND b.hash = ANY ($3::text[])
    AND b.touched_at < coalesce($4::bigint, holdfast.now_ms_1()) - $5::bigint
  RETURNING 1)
SELECT count(*) FROM swept`;

export async function sweepParts(
  database: Database,
  store: string,
  given: {
    readonly workflow: string;
    readonly hashes: readonly Hash[];
    readonly untouchedMs: number;
  },
): Promise<number> {
  const { workflow, hashes, untouchedMs } = given;
  const values = [store, workflow, hashes.map(partName), database.now(), untouchedMs];
  const [count] = (await database.row("sweep parts", sweep, values)) ?? [];
  if (Number(count) === 0) await requireWorkflow(database, "sweep parts", workflow);
  return Number(count);
}
