import { randomUUID } from "node:crypto";
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readSync,
  statSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Instant } from "@holdfast/core";
import type { AtBoundary } from "./boundary.ts";
import { Connection } from "./connection.ts";
import {
  busyError,
  hostError,
  isSqliteError,
  lockName,
  primaryCode,
  resultCode,
  storeError,
} from "./errors.ts";
import { endLeasesOfTheDead } from "./lease.ts";
import { type FolderLock, lockFolder } from "./lock.ts";
import { migrate } from "./migrate.ts";
import { applicationId } from "./migrations.ts";
import { readInPlace, ThreadReader } from "./reader.ts";
import { SqliteStore } from "./sqlite-store.ts";
import { syncFolder } from "./sync-folder.ts";

export type SqliteOptions = {
  /** The store's own clock: leases and due times are judged by it. */
  readonly clock: () => Instant;
  /** Names a new store; called only when the database is made. */
  readonly newIncarnation: () => string;
  /** The database is refused room beyond this many pages of 4 KiB; absent = the disk decides. */
  readonly pageCountMax?: number;
  /** Facts of a later version are left to a newer program; absent = what the core knows. */
  readonly knownFactVersion?: number;
  /**
   * True = a person has said that this restored or copied folder is to be used from now on,
   * although it may lack what was sent since. It becomes a new store.
   */
  readonly acceptRestored?: boolean;
  /** True = it was restored in a way that leaves no trace; the person who accepts it knows. */
  readonly isUnnoticed?: boolean;
  /** True = it was exported, and is to go on here all the same; said by the same person. */
  readonly isExported?: boolean;
  /** For tests that stop the process between two writes. */
  readonly atBoundary?: AtBoundary;
} & ({ readonly folder: string } | { readonly memory: true });

/**
 * Opens `<folder>/holdfast.db`, making folder and database if there never were any. Resolves only
 * when this process holds the folder, every pragma was seen to hold and the schema is ours;
 * otherwise it throws a HostError and leaves everything as it found it.
 */
export async function openSqliteStore(options: SqliteOptions): Promise<SqliteStore> {
  if ("folder" in options) return (await openFolder(options)).store;
  const connection = new Connection(":memory:", "memory");
  const { newIncarnation } = options;
  const name = migrate(connection, { newIncarnation, lastIncarnation: null });
  const reader = readInPlace(connection);
  return new SqliteStore({ ...options, ...name, connection, reader, lock: null });
}

export type FolderOptions = Extract<SqliteOptions, { readonly folder: string }>;

/** With the connection, for what no store does: to move it. */
export async function openFolder(
  options: FolderOptions,
  { isArriving } = { isArriving: false },
): Promise<{ readonly store: SqliteStore; readonly connection: Connection }> {
  const { folder, atBoundary } = options;
  const path = join(folder, "holdfast.db");
  makeFolder(folder);
  const lock = takeLock(folder, options.clock());
  try {
    atBoundary?.("folder locked");
    refuseLoss(path, lock);
    const isOurs = admitHeader(path);
    const connection = new Connection(path, "write", atBoundary);
    try {
      atBoundary?.("database opened");
      const { newIncarnation, acceptRestored = false, isUnnoticed = false } = options;
      const { isExported = false } = options;
      const openedAs = randomUUID();
      const said = { acceptRestored, isUnnoticed, isExported };
      const opening = { ...lock, ...said, openedAs, isArriving };
      const { lastIncarnation } = lock;
      const name = migrate(connection, { newIncarnation, lastIncarnation, opening });
      if (!isOurs) checkpoint(connection);
      endLeasesOfTheDead(connection, options.clock());
      lock.noteOpen({ storeIncarnation: name.storeIncarnation, openedAs });
      atBoundary?.("store opened");
      const reader = new ThreadReader(path);
      const store = new SqliteStore({ ...options, ...name, connection, reader, lock });
      return { store, connection };
    } catch (error) {
      closeRefused(connection, lock);
      throw error;
    }
  } catch (error) {
    lock.release();
    throw explain(error, path);
  }
}

/** What is thrown is why it was refused, whatever else goes wrong. */
function closeRefused(connection: Connection, lock: FolderLock): void {
  try {
    lock.noteClosing();
  } catch {
    // The log is then missed the next time: a false alarm, and no loss.
  }
  connection.close();
}

function makeFolder(folder: string): void {
  try {
    makeMissing(resolve(folder));
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw explain(error, folder);
  }
}

/**
 * From the top down, each synced into its parent. Not left to `recursive`: where nothing can be
 * made, as below /proc, that goes on for ever.
 */
function makeMissing(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  const parent = dirname(folder);
  makeMissing(parent);
  mkdirSync(folder);
  syncFolder(parent);
}

function takeLock(folder: string, now: Instant): FolderLock {
  try {
    return lockFolder(folder, now);
  } catch (error) {
    throw explain(error, join(folder, lockName));
  }
}

/**
 * SQLite takes a missing or empty file for a new database, and deletes the log beside it. Where a
 * store has lived, that would be forgetting everything that was ever sent.
 */
function refuseLoss(path: string, lock: FolderLock): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > 0) return refuseLostLog(path, lock);
  const logSize = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  if (lock.lastIncarnation === null && logSize === 0) return;
  const state = existsSync(path) ? "is empty" : "is not there";
  throw hostError("STORE_GONE", {
    what: `${path} ${state}, but a store has lived in this folder.`,
    remedy:
      "Put the file back or restore a backup. Only if its ledger may be forgotten: remove the " +
      "whole folder, lock.json included, and start anew.",
    details: { path },
  });
}

/** Without its log a database is sound, and older than what was sent. */
function refuseLostLog(path: string, lock: FolderLock): void {
  const log = `${path}-wal`;
  if (!lock.diedOpen || existsSync(log)) return;
  throw hostError("STORE_GONE", {
    what: `${log} is not there, but Holdfast was not stopped in order and had left it.`,
    remedy:
      "Put that file back or restore a backup of the whole folder. Only if another program has " +
      "opened the database since, or what the file held may be forgotten: remove lock.json.",
    details: { path: log },
  });
}

/**
 * Looks at the header before SQLite does: switching somebody else's database to a log would
 * change it. One that has a log already is not changed by opening, and is judged by migrate.
 * False = the file itself does not say that it is ours; its log may.
 */
function admitHeader(path: string): boolean {
  const header = readHeader(path);
  if (header === null) return false;
  const isSqlite = header.toString("latin1", 0, 16) === "SQLite format 3\0";
  const isOurs = isSqlite && header.readUInt32BE(68) === applicationId;
  const hasLog = isSqlite && header.readUInt8(18) === 2;
  if (hasLog || isOurs) return isOurs;
  throw hostError("STORE_NOT_A_DATABASE", {
    what: `${path} ${isSqlite ? "belongs to another program" : "is not a database"}.`,
    remedy: "Point Holdfast at its own data folder, or restore the file from a backup.",
    details: { path },
  });
}

/**
 * A new store is in its log alone; whoever lost that file would find a sound and empty database.
 * Copied and synced once, the database itself says which store it is, if an older one.
 */
function checkpoint(connection: Connection): void {
  const [busy] = connection.row("PRAGMA wal_checkpoint(TRUNCATE)") ?? [];
  if (busy !== 0) throw busyError(connection.path);
  connection.atBoundary?.("new store checkpointed");
}

/** Null = there is nothing yet. */
function readHeader(path: string): Buffer | null {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return null;
  const header = Buffer.alloc(100);
  const file = openSync(path, "r");
  try {
    readSync(file, header, 0, header.length, 0);
  } finally {
    // Before SQLite opens it: closing a descriptor later would drop the locks on the file.
    closeSync(file);
  }
  return header;
}

/** The system says "permission denied" and "not found" in several voices; here it is one each. */
function explain(error: unknown, path: string): unknown {
  const doing = "Opening the store";
  const { code } = error as { code?: unknown };
  const cannotOpen = isSqliteError(error) && primaryCode(error) === resultCode.cannotOpen;
  const denied = code === "EACCES" || code === "EPERM" || code === "EROFS";
  if (denied || (cannotOpen && !isWritable(path))) {
    return hostError("STORE_READ_ONLY", {
      what: `${doing}: ${path} cannot be written to by this user.`,
      remedy:
        "Give this user write permission on the data folder and its files, and check that the " +
        "disk is not mounted read-only.",
      cause: error,
      details: { path },
    });
  }
  if (code === "ENOSPC" || code === "EDQUOT") {
    return hostError("STORE_FULL", {
      what: `${doing}: ${dirname(path)} has no room for a file.`,
      remedy: "Nothing was changed. Free disk space, then try again.",
      cause: error,
      details: { path },
    });
  }
  if (code === "ENOENT" || code === "ENOTDIR" || code === "EEXIST") {
    return hostError("STORE_GONE", {
      what: `${doing}: ${path} is not a folder that can be used.`,
      remedy: "Check the path of the data folder and that its disk is mounted.",
      cause: error,
      details: { path },
    });
  }
  return storeError(error, { path, doing });
}

function isWritable(path: string): boolean {
  try {
    accessSync(dirname(path), constants.W_OK | constants.X_OK);
    if (existsSync(path)) accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
