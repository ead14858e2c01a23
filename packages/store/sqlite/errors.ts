import { existsSync } from "node:fs";
import { basename } from "node:path";
import { type ErrorCode, HostError, type HostErrorOptions, InvariantError } from "@holdfast/core";

/** In the data folder: whoever holds it owns the folder. */
export const lockName = "lock.db";

/** What node:sqlite throws: `errcode` is SQLite's extended result code. */
export type SqliteError = Error & { readonly errcode: number; readonly errstr: string };

export function isSqliteError(error: unknown): error is SqliteError {
  return error instanceof Error && typeof (error as Partial<SqliteError>).errcode === "number";
}

/** Primary result codes of SQLite that mean something to us. */
export const resultCode = {
  error: 1,
  busy: 5,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  constraint: 19,
  mismatch: 20,
  misuse: 21,
  range: 25,
  notADatabase: 26,
} as const;

export function primaryCode(error: SqliteError): number {
  return error.errcode & 0xff;
}

/** The database judged the data, not the disk: only this one change is at fault. */
export function isRefusal(error: unknown): error is Error {
  if (!isSqliteError(error)) return isUnbindable(error);
  const code = primaryCode(error);
  return code === resultCode.constraint || code === resultCode.mismatch;
}

/** A value that SQL has no type for, such as undefined, never gets as far as the database. */
function isUnbindable(error: unknown): boolean {
  return error instanceof TypeError && "code" in error && error.code === "ERR_INVALID_ARG_TYPE";
}

/** Unique indexes are reported by their columns, not by their names. */
const uniqueColumns: Readonly<Record<string, string>> = {
  "runs.workflow": "one_open_run",
  "runs.workflow, runs.retry_of": "retry_once",
};

/** Name of the violated constraint, as in constraint-names.ts. */
export function constraintOf(error: Error): string {
  const { message } = error;
  const unique = /^UNIQUE constraint failed: (.*)$/.exec(message)?.[1];
  if (unique !== undefined) {
    if (unique.startsWith("mutation_inputs.")) return "mutation_inputs_once";
    return uniqueColumns[unique] ?? "row_exists";
  }
  const check = /^CHECK constraint failed: (.*)$/.exec(message)?.[1];
  if (check !== undefined) return check.endsWith("_word") ? "word_known" : check;
  if (message.startsWith("FOREIGN KEY")) return "reservation_exists";
  // The text of RAISE in a trigger is the name itself; what is left are wrong types and nulls.
  return /^[a-z_]+$/.test(message) ? message : "value_fits_column";
}

type Situation = { readonly path: string; readonly doing: string };

type Remedy = readonly [code: ErrorCode, state: string, remedy: string];

const busyRemedy: Remedy = [
  "STORE_LOCKED",
  "is being written to by another program",
  "Stop whatever else has it open (a database browser, a backup), then start again.",
];

const remedies: Readonly<Record<number, Remedy>> = {
  [resultCode.busy]: busyRemedy,
  [resultCode.readOnly]: [
    "STORE_READ_ONLY",
    "cannot be written to",
    "Give this user write permission on the file and its folder, and check that the disk is not " +
      "mounted read-only.",
  ],
  [resultCode.full]: [
    "STORE_FULL",
    "has no room to grow",
    "Nothing of this change was written. Free disk space, then try again.",
  ],
  [resultCode.corrupt]: [
    "STORE_CORRUPT",
    "has wrong or missing pages",
    "Nothing was repaired. Keep the file, restore a backup, and check the disk.",
  ],
  [resultCode.notADatabase]: [
    "STORE_NOT_A_DATABASE",
    "is something else, or its beginning was overwritten",
    "Point Holdfast at its own data folder, or restore the file from a backup.",
  ],
  [resultCode.cannotOpen]: [
    "STORE_GONE",
    "cannot be opened",
    "Check that the folder exists and belongs to this user.",
  ],
};

/** What SQLite says of bad SQL and bad calls: no disk can cause it. */
const ownMistakes: ReadonlySet<number> = new Set([
  resultCode.error,
  resultCode.misuse,
  resultCode.range,
]);

/**
 * Puts what SQLite said into words a person can act on; anything it is not known to say is an
 * I/O error. A mistake of our own stays what it is.
 */
export function storeError(error: unknown, { path, doing }: Situation): Error {
  if (error instanceof HostError || isBug(error)) return error;
  if (error instanceof Error && error.name === "DurabilityRefused") return notDurable(error, path);
  if (isOwnMistake(error)) {
    return new InvariantError(`${doing} ${path}: ${error.message}`, { cause: error });
  }
  const cause = error;
  const said = error instanceof Error ? error.message : String(error);
  const details = { path, ...(isSqliteError(error) ? { sqlite: error.errcode } : {}) };
  const known = isSqliteError(error) ? remedies[primaryCode(error)] : undefined;
  if (known === undefined) {
    const what = `${doing} ${path} failed (${said}).`;
    const remedy = "Check the disk and its messages in the system log, then start again.";
    return new HostError("STORE_IO", { what, remedy, cause, details });
  }
  const [code, state, remedy] = known;
  const what = `${doing}: ${path} ${state} (${said}).`;
  const retry = code === "STORE_FULL" || code === "STORE_LOCKED" ? "safe" : "unknown";
  return new HostError(code, { what, remedy, retry, cause, details });
}

function isBug(error: unknown): error is Error {
  return [InvariantError, ReferenceError, TypeError, RangeError].some(
    (kind) => error instanceof kind,
  );
}

/** A pragma that only the SQLite we ship can refuse, or a statement that it cannot take. */
function isOwnMistake(error: unknown): error is Error {
  if (isSqliteError(error)) return ownMistakes.has(primaryCode(error));
  return error instanceof Error && error.name === "PragmaRefused";
}

function notDurable(cause: Error, path: string): HostError {
  return hostError("STORE_NOT_DURABLE", {
    what: `${cause.message}.`,
    remedy: "Keep the data folder on a local disk with a file system that can lock and sync.",
    cause,
    details: { path },
  });
}

export function goneError(path: string): HostError {
  const there = existsSync(path) ? "was replaced by another file" : "is no longer there";
  return hostError("STORE_GONE", {
    what: `${path} ${there} since it was opened; nothing more was written.`,
    remedy: basename(path) === lockName ? remedyWithoutLock : remedyWithoutFile,
    details: { path },
  });
}

const remedyWithoutFile =
  "Stop the process, put the data folder back as it was (or restore a backup), start again.";

/** The database may be well; what is gone is the certainty of being alone with it. */
const remedyWithoutLock =
  "Another process may have got in: stop every Holdfast on this folder, then start one.";

export function busyError(path: string): HostError {
  const [code, state, remedy] = busyRemedy;
  return hostError(code, { what: `${path} ${state}.`, remedy, details: { path } });
}

/** For cases in which nothing was sent or written by the call itself. */
export function hostError(code: ErrorCode, options: HostErrorOptions): HostError {
  return new HostError(code, { retry: "safe", ...options });
}
