import { invariant } from "@holdfast/core";
import type { Connection } from "./connection.ts";
import { hostError } from "./errors.ts";
import { restore } from "./migrations/0006-restore.ts";
import { applicationId, migrations, schemaVersion } from "./migrations.ts";
import { admitOpening, type Opening, type StoreName } from "./restored.ts";
import { checkSchema, wholeSchema } from "./schema.ts";

export type StoreMeta = StoreName & { readonly schemaVersion: number };

export type MigrateOptions = {
  readonly newIncarnation: () => string;
  /** The store that has to be in the file; null = any, and an empty file becomes a new one. */
  readonly lastIncarnation: string | null;
  /** Absent = there is nothing beside the database that could know better. */
  readonly opening?: Opening;
};

/**
 * Brings the schema to this program's version, in one transaction, or leaves the file untouched.
 * A database that is newer, not ours, or not the store that lived here is refused before anything
 * is written; so is one whose objects are not those of its version.
 */
export function migrate(connection: Connection, options: MigrateOptions): StoreMeta {
  connection.db.exec("BEGIN IMMEDIATE");
  connection.atBoundary?.("migration begun");
  try {
    const found = admitSchema(connection);
    refuseOtherStore(connection.path, found, options.lastIncarnation);
    if (found !== null) checkSchema(connection, found.schemaVersion);
    const meta = found ?? createMeta(connection, options.newIncarnation());
    takeSteps(connection, meta);
    checkSchema(connection, schemaVersion);
    const name = admitName(connection, { ...options, isNew: found === null }) ?? meta;
    connection.db.exec("COMMIT");
    connection.atBoundary?.("migration committed");
    const { storeIncarnation, restoredFrom, arrival } = name;
    const how = arrival === undefined ? {} : { arrival };
    return { schemaVersion, storeIncarnation, restoredFrom, ...how };
  } catch (error) {
    if (connection.db.isTransaction) connection.db.exec("ROLLBACK");
    throw error;
  }
}

/** A store that was just made has nothing older, in whatever folder. */
function admitName(
  connection: Connection,
  { newIncarnation, opening, isNew }: MigrateOptions & { readonly isNew: boolean },
): StoreName | null {
  if (opening === undefined) return null;
  const isCopy = opening.isCopy && !isNew;
  return admitOpening(connection, newIncarnation, { ...opening, isCopy });
}

function takeSteps(connection: Connection, from: StoreMeta): void {
  const missing = migrations.slice(from.schemaVersion).map(({ sql }) => sql);
  for (const sql of from.schemaVersion === 0 ? [wholeSchema()] : missing) {
    connection.db.exec(sql);
    connection.atBoundary?.("migration step done");
  }
  connection.run(
    `INSERT INTO store_meta (only_row, schema_version, store_incarnation) VALUES (1, ?, ?)
     ON CONFLICT (only_row) DO UPDATE SET schema_version = excluded.schema_version
     WHERE schema_version <> excluded.schema_version`,
    schemaVersion,
    from.storeIncarnation,
  );
  connection.atBoundary?.("schema version written");
}

function createMeta(connection: Connection, storeIncarnation: string): StoreMeta {
  connection.db.exec(`PRAGMA application_id = ${applicationId}`);
  return { schemaVersion: 0, storeIncarnation, restoredFrom: null };
}

/** Null = an empty file, free to become a store. */
function admitSchema(connection: Connection): StoreMeta | null {
  const { path } = connection;
  const objectCount = Number(connection.row("SELECT count(*) FROM sqlite_schema")?.[0]);
  const fileOf = connection.pragma("application_id");
  if (objectCount === 0 && fileOf === 0) return null;
  const metaSql = "SELECT schema_version, store_incarnation FROM store_meta";
  const meta = fileOf === applicationId && hasMeta(connection) ? connection.row(metaSql) : null;
  if (!meta) {
    throw hostError("STORE_NOT_A_DATABASE", {
      what: `${path} is an SQLite database, but not one that Holdfast made.`,
      remedy: "Point Holdfast at its own data folder; nothing was changed in this one.",
      details: { path },
    });
  }
  const [version, storeIncarnation] = meta;
  invariant(typeof version === "number" && typeof storeIncarnation === "string", "store_meta");
  if (version > schemaVersion) throw newerSchema(path, version);
  const restoredFrom = version < restore.version ? null : findRestoredFrom(connection);
  return { schemaVersion: version, storeIncarnation, restoredFrom };
}

function findRestoredFrom(connection: Connection): string | null {
  const [from = null] = connection.row("SELECT restored_from FROM store_meta") ?? [];
  return from === null ? null : String(from);
}

function hasMeta(connection: Connection): boolean {
  return (
    connection.row("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'store_meta'") !==
    undefined
  );
}

/**
 * A database without its log can be sound and empty: only lock.json knows that it was not. It may
 * be behind by the one restore that was being accepted when the process died.
 */
function refuseOtherStore(path: string, found: StoreMeta | null, last: string | null): void {
  if (last === null || found?.storeIncarnation === last || found?.restoredFrom === last) return;
  const holds = found === null ? "no store" : `another store (${found.storeIncarnation})`;
  throw hostError("STORE_GONE", {
    what: `${path} holds ${holds}, but lock.json says that ${last} lived in this folder.`,
    remedy:
      "Put the database back together with its -wal file, or restore a backup of the whole " +
      "folder. Only if what was recorded may be forgotten: remove lock.json, then start again.",
    details: { path, lastIncarnation: last },
  });
}

function newerSchema(path: string, version: number): Error {
  return hostError("STORE_SCHEMA_NEWER", {
    what: `${path} has schema version ${version}; this program knows ${schemaVersion}.`,
    remedy:
      "Nothing was changed and nothing is lost: start the newer Holdfast again. A newer database " +
      "cannot be turned back into an older one.",
    details: { path, version, known: schemaVersion },
  });
}
