import { closeSync, openSync } from "node:fs";
import { HostError } from "@holdfast/core";
import { type Connection, syncFailedCode } from "./connection.ts";
import { isSqliteError } from "./errors.ts";
import type { BulkReader } from "./reader.ts";

/** Pages of the log that are not in the database yet, from which on they are copied: 16 MiB. */
const copyPageCount = 4_000;
/** A log of so many begins anew, also where commits never pause: 32 MiB. */
const anewPageCount = 8_000;
/** As few as the thread that commits copies itself for it. */
const lastPageCount = 256;
/** To look takes 5 microseconds, and a group rarely writes more than a hundred pages. */
const lookGroupCount = 16;

/**
 * Copies the log into the database while commits go on: to do it in the midst of a commit holds up
 * the process for twenty times as long as the commit itself. The thread that reads copies it. Only
 * a log of which nothing is left begins anew: that comes by itself where commits pause, and else
 * the last of a long log is copied here, between two groups, for half as long. Where the thread
 * cannot, a commit does it, as it would without one, once the log has four times as many pages.
 */
export class LogCopier {
  readonly #connection: Connection;
  readonly #reader: Pick<BulkReader, "copyLog">;
  #groupsUnseen = 0;
  #isCopying = false;
  #hasFailed = false;
  /** The database, for the thread to sync; null = nothing was copied yet. */
  #file: number | null = null;

  constructor(connection: Connection, reader: Pick<BulkReader, "copyLog">) {
    this.#connection = connection;
    this.#reader = reader;
  }

  /**
   * Called between two groups. `onSyncFailed`: the system may have dropped what was copied and
   * never says so again, so that the log alone has it, and must not begin anew.
   */
  groupKept(onSyncFailed: (cause: unknown) => void): void {
    this.#groupsUnseen += 1;
    if (this.#isCopying || this.#groupsUnseen < lookGroupCount) return;
    this.#groupsUnseen = 0;
    this.#isCopying = true;
    this.#copyIfDue()
      .catch((error: unknown) => {
        if (isSyncFailure(error)) onSyncFailed(error);
        else this.#failed(error);
      })
      .finally(() => {
        this.#isCopying = false;
      });
  }

  /** Again while it comes nearer to the end of the log than the time before. */
  async #copyIfDue(): Promise<void> {
    let before = this.#look().left;
    if (before < copyPageCount) return;
    for (;;) {
      this.#file ??= openSync(this.#connection.path, "r+");
      await this.#reader.copyLog(this.#file);
      if (!this.#connection.db.isOpen) return;
      const { pages, left } = this.#look();
      if (left <= lastPageCount) {
        if (left > 0 && pages >= anewPageCount) this.#copyLast();
        return;
      }
      if (left > before / 2) return;
      before = left;
    }
  }

  /** Once no connection is open any more: to close a file drops all locks a process has on it. */
  close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }

  /** SQLite syncs the database when all was copied: here, unless that was done by then. */
  #copyLast(): void {
    this.#connection.row("PRAGMA wal_checkpoint(PASSIVE)");
  }

  /** Nothing is lost by it: the log has it all. But whoever looks after the disk should know. */
  #failed(error: unknown): void {
    const { db, path } = this.#connection;
    const isClosed = error instanceof HostError && error.code === "STORE_CLOSED";
    if (this.#hasFailed || !db.isOpen || isClosed) return;
    this.#hasFailed = true;
    const said = error instanceof Error ? error.message : String(error);
    process.emitWarning(`the log of ${path} could not be copied into it apart: ${said}`);
  }

  #look(): { readonly pages: number; readonly left: number } {
    const [, log, copied] = this.#connection.row("PRAGMA wal_checkpoint(NOOP)") ?? [];
    return { pages: Number(log), left: Number(log) - Number(copied) };
  }
}

function isSyncFailure(error: unknown): boolean {
  if (error instanceof HostError) return error.details["sqlite"] === syncFailedCode;
  return isSqliteError(error) && error.errcode === syncFailedCode;
}
