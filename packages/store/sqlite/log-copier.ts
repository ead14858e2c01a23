import type { Connection } from "./connection.ts";
import type { BulkReader } from "./reader.ts";

/** Pages of the log that are not in the database yet, from which on they are copied: 16 MiB. */
const copyPageCount = 4_000;
/** As few as the thread that commits copies in a millisecond or two. */
const lastPageCount = 256;
/** To look takes 5 microseconds, and a group rarely writes more than a hundred pages. */
const lookGroupCount = 16;

/**
 * Copies the log into the database while commits go on: to do it in the midst of a commit holds up
 * the process for twenty times as long as the commit itself. The thread that reads copies nearly
 * all of it; the rest is copied here, between two groups, because only a log of which nothing is
 * left begins anew. Where that fails, a commit does it, as it would without a thread, once the log
 * has four times as many pages.
 */
export class LogCopier {
  readonly #connection: Connection;
  readonly #reader: Pick<BulkReader, "copyLog">;
  #groupsUnseen = 0;
  #isCopying = false;
  #hasFailed = false;

  constructor(connection: Connection, reader: Pick<BulkReader, "copyLog">) {
    this.#connection = connection;
    this.#reader = reader;
  }

  /** Called between two groups. */
  groupKept(): void {
    this.#groupsUnseen += 1;
    if (this.#isCopying || this.#groupsUnseen < lookGroupCount) return;
    this.#groupsUnseen = 0;
    this.#isCopying = true;
    this.#copyIfDue()
      .catch((error: unknown) => this.#failed(error))
      .finally(() => {
        this.#isCopying = false;
      });
  }

  /** Again while it comes nearer to the end of the log than the time before. */
  async #copyIfDue(): Promise<void> {
    let before = this.#pagesLeft();
    if (before < copyPageCount) return;
    for (;;) {
      await this.#reader.copyLog();
      if (!this.#connection.db.isOpen) return;
      const left = this.#pagesLeft();
      if (left <= lastPageCount) break;
      if (left > before / 2) return;
      before = left;
    }
    this.#connection.row("PRAGMA wal_checkpoint(PASSIVE)");
  }

  /** Nothing is lost by it: the log has it all. But whoever looks after the disk should know. */
  #failed(error: unknown): void {
    const { db, path } = this.#connection;
    if (this.#hasFailed || !db.isOpen) return;
    this.#hasFailed = true;
    const said = error instanceof Error ? error.message : String(error);
    process.emitWarning(`the log of ${path} could not be copied into it apart: ${said}`);
  }

  #pagesLeft(): number {
    const [, log, copied] = this.#connection.row("PRAGMA wal_checkpoint(NOOP)") ?? [];
    return Number(log) - Number(copied);
  }
}
