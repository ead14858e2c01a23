import { HostError } from "@holdfast/core";
import { Database, type DatabaseOptions } from "./connection.ts";
import { grantStatements } from "./grants.ts";

/**
 * Looks at a database without opening, making or changing anything in it; also at one that would
 * be refused as restored. Null = there is no store in it.
 */
export async function findPostgresStore(
  options: DatabaseOptions,
): Promise<{ readonly place: string; readonly storeIncarnation: string | null }> {
  const database = new Database(options);
  try {
    const { place } = database;
    const there = "SELECT to_regclass('holdfast.store_meta') IS NOT NULL";
    const [isMade] = (await database.row("open store", there)) ?? [];
    if (isMade !== true) return { place, storeIncarnation: null };
    const name = "SELECT store_incarnation FROM holdfast.store_meta";
    const [found] = (await database.row("open store", name)) ?? [];
    return { place, storeIncarnation: found === undefined ? null : String(found) };
  } finally {
    await database.close();
  }
}

const granted = `
SELECT has_schema_privilege($1, 'holdfast', 'USAGE')
  AND has_table_privilege($1, 'holdfast.journal', 'INSERT')`;

/** By the owner of the schema; to be said again after each step of it. False = no such role. */
export async function grantPostgresRole(options: DatabaseOptions, role: string): Promise<boolean> {
  const database = new Database(options);
  try {
    const sql = "SELECT FROM pg_roles WHERE rolname = $1";
    const [found] = await database.rows("migrate", sql, [role]);
    if (found === undefined) return false;
    await database.rows("migrate", grantStatements(role));
    // Whoever is not the owner only gets a warning for granting nothing.
    const [isGranted] = (await database.row("migrate", granted, [role])) ?? [];
    if (isGranted === true) return true;
    throw new HostError("STORE_ACCESS_DENIED", {
      what: `${database.place}: this role may not grant anything on the schema.`,
      remedy: "Let the owner of the schema do it.",
      retry: "safe",
      details: { place: database.place },
    });
  } finally {
    await database.close();
  }
}
