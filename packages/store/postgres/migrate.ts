import { HostError } from "@holdfast/core";
import type { Database } from "./connection.ts";
import { hostError, stateOf, storeError } from "./errors.ts";
import type { LentConnection } from "./lent-connection.ts";
import { migrations, schemaVersion } from "./migrations.ts";
import { bootstrap, createSchema, findDifference, recordObjects } from "./schema.ts";
import type { CheckedServer } from "./server-check.ts";

/** "HOLD": only one process takes steps at a time. */
const migrationLock = 0x484f4c44;
/** A step waits no longer than this for statements of living hosts, and they not for it. */
const lockMsMax = 5_000;

type Found = { readonly version: number; readonly serverVersion: number };

/**
 * Brings the schema to this program's version in one transaction, or changes nothing. Hosts of
 * before go on meanwhile. A schema that is newer, not ours, or not as its steps left it is refused.
 */
export async function migrate(database: Database, server: CheckedServer): Promise<void> {
  try {
    const isDone = await inTransaction(database, (connection) =>
      isUpToDate(database, connection, server),
    );
    if (isDone) return;
    await inTransaction(database, async (connection) => {
      await connection.rows(`SELECT pg_advisory_xact_lock(${migrationLock})`);
      // Somebody else may have been faster.
      if (await isUpToDate(database, connection, server)) return;
      await connection.rows(`SET LOCAL lock_timeout = ${lockMsMax}`);
      await takeSteps(connection, await readVersion(database, connection), server);
    });
  } catch (error) {
    throw explain(error, database);
  }
}

/** The server writes names with or without their schema, by what the role's own path is. */
function inTransaction<T>(
  database: Database,
  work: (connection: LentConnection) => Promise<T>,
): Promise<T> {
  return database.withConnection("migrate", (connection) =>
    connection.transaction("BEGIN", async () => {
      await connection.rows("SET LOCAL search_path = pg_catalog");
      return work(connection);
    }),
  );
}

/** Throws if what is there is not a schema that this program may go on with. */
async function isUpToDate(
  database: Database,
  connection: LentConnection,
  server: CheckedServer,
): Promise<boolean> {
  const found = await readVersion(database, connection);
  if (found === null || found.version < schemaVersion) return false;
  if (found.version > schemaVersion) throw newerSchema(database.place, found.version);
  // Another major version of the server may write the same definition in other words.
  if (found.serverVersion !== server.majorVersion) return false;
  await refuseDifference(database, connection);
  return true;
}

async function refuseDifference(database: Database, connection: LentConnection): Promise<void> {
  const difference = await findDifference(connection);
  if (difference === null) return;
  const what = `${database.place}: ${difference}.`;
  const remedy =
    "Undo the change (`holdfast schema print --postgres` shows what belongs there) or restore " +
    "a backup.";
  throw hostError("STORE_SCHEMA_DIFFERS", { what, remedy }, database.place);
}

async function readVersion(database: Database, connection: LentConnection): Promise<Found | null> {
  const [schema, isOurs] = (await connection.rows(findSchema))[0] ?? [];
  if (schema === null) return null;
  const sql = "SELECT version, server_version FROM holdfast.schema_version";
  const [row] = isOurs === true ? await connection.rows(sql) : [];
  if (row !== undefined) return { version: Number(row[0]), serverVersion: Number(row[1]) };
  const [count] = (await connection.rows(objectCount))[0] ?? [];
  if (Number(count) === 0) return null;
  const what = `${database.place} has a schema "holdfast" that Holdfast did not make.`;
  const remedy = "Give Holdfast a database of its own; nothing was changed in this one.";
  throw hostError("STORE_NOT_A_DATABASE", { what, remedy }, database.place);
}

/** Others number their steps too, in a table that they may call the same. */
const findSchema = `
SELECT to_regnamespace('holdfast')::text, (
  SELECT count(*) = 3 FROM pg_attribute
  WHERE attrelid = to_regclass('holdfast.schema_version')
    AND attname IN ('only_row', 'version', 'server_version'))`;

/** An administrator may have made the empty schema, for a role that may not. */
const objectCount = `
SELECT (SELECT count(*) FROM pg_class WHERE relnamespace = 'holdfast'::regnamespace)
  + (SELECT count(*) FROM pg_proc WHERE pronamespace = 'holdfast'::regnamespace)
  + (SELECT count(*) FROM pg_type WHERE typnamespace = 'holdfast'::regnamespace)`;

async function takeSteps(
  connection: LentConnection,
  found: Found | null,
  server: CheckedServer,
): Promise<void> {
  const [schema] = (await connection.rows(findSchema))[0] ?? [];
  if (schema === null) await connection.rows(createSchema);
  if (found === null) await connection.rows(bootstrap);
  for (const step of migrations) {
    if (step.version > (found?.version ?? 0)) await connection.rows(step.sql);
  }
  await connection.rows(
    `INSERT INTO holdfast.schema_version (only_row, version, server_version) VALUES (1, $1, $2)
     ON CONFLICT (only_row) DO UPDATE
     SET version = excluded.version, server_version = excluded.server_version`,
    [schemaVersion, server.majorVersion],
  );
  await recordObjects(connection);
}

function newerSchema(place: string, version: number): HostError {
  const what = `${place} has schema version ${version}; this program knows ${schemaVersion}.`;
  const remedy =
    "Nothing was changed and nothing is lost: start the newer Holdfast again. A newer schema " +
    "cannot be turned back into an older one.";
  return hostError("STORE_SCHEMA_NEWER", { what, remedy }, place);
}

/**
 * A role that may not make the schema is the usual case where an administrator keeps it. Where it
 * is missing, the server denies the database; otherwise something in the schema. It says so in
 * any language, but the names stay what they are.
 */
function explain(error: unknown, database: Database): Error {
  const situation = { place: database.place, doing: "migrate" };
  if (error instanceof HostError || stateOf(error) !== "42501") return storeError(error, situation);
  const said = error instanceof Error ? error.message : "";
  const name = database.place.slice(database.place.lastIndexOf("/") + 1);
  const isMissing =
    /database/.test(said) || (!/schema|table|owner/.test(said) && said.includes(name));
  return new HostError("STORE_ACCESS_DENIED", {
    what: isMissing
      ? `${database.place} has no schema "holdfast", and this role may not make it (${said}).`
      : `${database.place} has the schema "holdfast", but this role lacks the grants to use it, ` +
        `or may not bring it to version ${schemaVersion} (${said}).`,
    remedy:
      "Let the owner of the schema run `holdfast schema apply --grant <role>` for this role; see " +
      "docs/operating/postgresql.md, two roles.",
    retry: "safe",
    cause: error,
    details: { place: database.place },
  });
}
