import { DatabaseSync, type StatementSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import type { SqlValue } from "../columns.ts";
import type { AtBoundary } from "./boundary.ts";

/** How long a write waits for a foreign program that went around lock.db. */
const busyMsMax = 2_000;
/** Page cache per connection; negative means KiB to SQLite. */
const cacheKib = 16_384;
/** A commit copies the log into the database itself once it has so many pages: 64 MiB. */
const ownCopyPageCount = 16_000;
/** The log file is cut back to this after a copy, so that one burst does not keep the disk. */
const logBytesMax = 67_108_864;

/** What SQLite says when it cannot sync a file; the log copier says it of its own syncs, too. */
export const syncFailedCode = 1_034;

/** One that copies writes nothing but what the log has. */
export type ConnectionMode = "write" | "read" | "copy" | "memory";

export type SqliteRow = readonly SqlValue[];

type Pragma = readonly [name: string, value: string | number, readBack: string | number];

/** What keeps an acknowledged commit; each pragma is set and then read back. */
function durablePragmas(mode: ConnectionMode): readonly Pragma[] {
  const journal = mode === "memory" ? "memory" : "wal";
  const journalMode: Pragma = ["journal_mode", journal.toUpperCase(), journal];
  return [
    // Who copies makes no log where there is none: the file may be another one by now.
    ...(mode === "copy" ? [] : [journalMode]),
    ["synchronous", "FULL", 2],
    // Only macOS knows the difference; there a plain sync leaves data in the drive's cache.
    ["fullfsync", 1, 1],
    ["checkpoint_fullfsync", 1, 1],
  ];
}

/** What keeps the constraints, on readers too. */
function guardPragmas(mode: ConnectionMode): readonly Pragma[] {
  const isWriting = mode === "write" || mode === "memory";
  return [
    ["foreign_keys", 1, 1],
    ["ignore_check_constraints", 0, 0],
    ["query_only", isWriting ? 0 : 1, isWriting ? 0 : 1],
  ];
}

function tuningPragmas(): readonly Pragma[] {
  return [
    ["busy_timeout", busyMsMax, busyMsMax],
    ["cache_size", -cacheKib, -cacheKib],
    ["temp_store", "MEMORY", 2],
    ["wal_autocheckpoint", ownCopyPageCount, ownCopyPageCount],
    ["journal_size_limit", logBytesMax, logBytesMax],
    ["cell_size_check", 1, 1],
    ["trusted_schema", 0, 0],
  ];
}

/**
 * A limit that is a bare parameter makes SQLite plan the statement anew whenever it is bound, in
 * case the number changes the plan: four times the cost of a short query.
 */
export function limitTo(parameter: string): string {
  return `LIMIT CAST(${parameter} AS INTEGER)`;
}

/** Depends on where the folder lies, so that a person has to act, or only on the SQLite we ship. */
type Refused = "DurabilityRefused" | "PragmaRefused";

/** errors.ts goes by the name; loading the core here would make the reader thread start slowly. */
class PragmaRefused extends Error {
  override readonly name: Refused;

  constructor(name: Refused, message: string) {
    super(message);
    this.name = name;
  }
}

/** One SQLite connection with its prepared statements; every pragma was seen to hold. */
export class Connection {
  readonly db: DatabaseSync;
  readonly path: string;
  readonly mode: ConnectionMode;
  readonly atBoundary: AtBoundary | undefined;
  readonly #statements = new Map<string, StatementSync>();

  constructor(path: string, mode: ConnectionMode, atBoundary?: AtBoundary) {
    this.path = path;
    this.mode = mode;
    this.atBoundary = atBoundary;
    // Only who writes makes a file that is not there.
    const place = mode === "copy" ? new URL(`${pathToFileURL(path)}?mode=rw`) : path;
    this.db = new DatabaseSync(place, { readOnly: mode === "read", timeout: busyMsMax });
    try {
      for (const pragma of durablePragmas(mode)) this.#set(pragma, "DurabilityRefused");
      const others = [...guardPragmas(mode), ...tuningPragmas()];
      for (const pragma of others) this.#set(pragma, "PragmaRefused");
    } catch (error) {
      this.db.close();
      throw error;
    }
  }

  #set([name, value, expected]: Pragma, refused: Refused): void {
    this.db.exec(`PRAGMA ${name} = ${value}`);
    const got = this.pragma(name);
    if (got === expected) return;
    const message = `${this.path}: PRAGMA ${name} is ${got} after it was set to ${value}`;
    throw new PragmaRefused(refused, message);
  }

  pragma(name: string): SqlValue {
    const [value] = this.row(`PRAGMA ${name}`) ?? [];
    return value ?? null;
  }

  /** What a test or `holdfast verify` may ask: the settings that our promises hang on. */
  durability(): Readonly<Record<string, SqlValue>> {
    const promised = [...durablePragmas(this.mode), ...guardPragmas(this.mode)];
    const names = promised.map(([name]) => name);
    return Object.fromEntries(names.map((name) => [name, this.pragma(name)]));
  }

  /** Statements live as long as the connection; the set of texts is small and fixed. */
  prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.db.prepare(sql);
    statement.setReturnArrays(true);
    this.#statements.set(sql, statement);
    return statement;
  }

  row(sql: string, ...values: readonly SqlValue[]): SqliteRow | undefined {
    return this.prepare(sql).get(...values) as unknown as SqliteRow | undefined;
  }

  rows(sql: string, ...values: readonly SqlValue[]): readonly SqliteRow[] {
    return this.prepare(sql).all(...values) as unknown as readonly SqliteRow[];
  }

  iterate(sql: string, ...values: readonly SqlValue[]): Iterator<SqliteRow> {
    return this.prepare(sql).iterate(...values) as unknown as Iterator<SqliteRow>;
  }

  /** Number of rows it touched. */
  run(sql: string, ...values: readonly SqlValue[]): number {
    return Number(this.prepare(sql).run(...values).changes);
  }

  close(): void {
    this.#statements.clear();
    this.db.close();
  }
}
