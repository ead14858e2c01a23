import type { Database } from "./connection.ts";

/** The calls of one executor are walked in the order of its index. */
const awaiting = `
SELECT DISTINCT workflow FROM holdfast.mutations
WHERE awaits_executor = $1 AND ($2::text IS NULL OR workflow > $2) ORDER BY workflow LIMIT $3`;

export async function listAwaiting(
  database: Database,
  executor: string,
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<readonly string[]> {
  const rows = await database.rows("list awaiting", awaiting, [executor, after, limit]);
  return rows.map(([workflow]) => String(workflow));
}
