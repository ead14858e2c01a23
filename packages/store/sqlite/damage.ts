import type { SqliteRow } from "./connection.ts";
import type { BulkQuery } from "./journal.ts";

/** Enough to see what kind of damage it is. */
const damagesMax = 20;

export const damageQuery: BulkQuery = { sql: `PRAGMA integrity_check(${damagesMax})`, values: [] };

export function damageIn(rows: readonly SqliteRow[]): readonly string[] {
  const found = rows.map(([text]) => String(text));
  return found.length === 1 && found[0] === "ok" ? [] : found;
}
