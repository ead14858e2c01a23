import { invariant } from "@holdfast/core";
import { Database, type DatabaseOptions } from "./connection.ts";

/** What there is under the name of our schema, whatever this role may do with it. */
export type FoundSchema = "none" | "empty" | "ours" | "of others";

/** From the catalogs alone, which every role may read. Changes nothing. */
const look = `
SELECT n.oid IS NOT NULL, (
  SELECT count(*) = 3 FROM pg_catalog.pg_attribute AS a
    JOIN pg_catalog.pg_class AS c ON c.oid = a.attrelid
  WHERE c.relnamespace = n.oid AND c.relname = 'schema_version'
    AND a.attname IN ('only_row', 'version', 'server_version')),
  EXISTS (SELECT FROM pg_catalog.pg_class WHERE relnamespace = n.oid)
    OR EXISTS (SELECT FROM pg_catalog.pg_proc WHERE pronamespace = n.oid)
    OR EXISTS (SELECT FROM pg_catalog.pg_type WHERE typnamespace = n.oid)
FROM (SELECT) AS always LEFT JOIN pg_catalog.pg_namespace AS n ON n.nspname = 'holdfast'`;

/** For whoever finds no store, and wants to know what there is instead. */
export async function findPostgresSchema(
  options: DatabaseOptions,
): Promise<{ readonly place: string; readonly schema: FoundSchema }> {
  const database = new Database(options);
  try {
    const row = await database.row("open store", look);
    invariant(row !== undefined, "what was asked for is one row");
    return { place: database.place, schema: inWords(row) };
  } finally {
    await database.close();
  }
}

function inWords([isThere, isOurs, hasObjects]: readonly unknown[]): FoundSchema {
  if (isThere !== true) return "none";
  if (isOurs === true) return "ours";
  return hasObjects === true ? "of others" : "empty";
}
