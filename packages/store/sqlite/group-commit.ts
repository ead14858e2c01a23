import type { HostError } from "@holdfast/core";
import { closedError } from "../store-errors.ts";
import type { Connection } from "./connection.ts";
import {
  goneError,
  hostError,
  isRefusal,
  isSqliteError,
  primaryCode,
  resultCode,
  storeError,
} from "./errors.ts";
import { FileGuard } from "./file-guard.ts";
import type { KnownHeads } from "./known-heads.ts";
import type { LogCopier } from "./log-copier.ts";
import { ChangeRefused } from "./row-statements.ts";

/** Writes that may share one transaction: bounds how long the loop is held by one group. */
const groupWritesMax = 256;

/**
 * A group waits for as many writes as the one before it had, up to this many: then the sync costs
 * each of them next to nothing, and whoever is not in it goes on working meanwhile.
 */
const awaitedMax = 32;
/**
 * How long a write may wait for company, in times of what a COMMIT takes: a slow disk makes a
 * larger group worth more.
 */
const holdFactor = 8;
const holdMsMax = 50;
/** How much the last COMMIT counts in what one is thought to take. */
const lastCommitWeight = 0.25;

/** What became of one write of a group, once its transaction is settled. */
export type Outcome<T> =
  | { readonly kind: "done"; readonly value: T }
  | { readonly kind: "failed"; readonly error: unknown }
  /** COMMIT itself failed: nobody can say whether the write is on the disk. */
  | { readonly kind: "unknown"; readonly error: HostError };

type Beside = {
  readonly heads: KnownHeads;
  /** Null = there is no log. */
  readonly copier: LogCopier | null;
  /** The file that keeps other processes out; null = nobody else can come. */
  readonly lockPath: string | null;
};

type Write = {
  readonly work: () => unknown;
  readonly settle: (outcome: Outcome<unknown>) => void;
  outcome: Outcome<unknown>;
};

const notYet: Outcome<never> = { kind: "failed", error: null };

/**
 * All writes go through here, in the order they came. Those of one turn of the event loop share a
 * transaction and its sync, and so do those of several turns while many are writing: COMMIT holds
 * up the whole process, so it is better done seldom. Who writes alone never waits. A write that is
 * refused leaves nothing and touches no other. Nobody hears of an outcome before COMMIT has
 * returned.
 */
export class GroupCommit {
  /** Transactions that reached the disk, for counting syncs. */
  groupCount = 0;
  readonly #connection: Connection;
  readonly #heads: KnownHeads;
  readonly #files: FileGuard;
  readonly #copier: LogCopier | null;
  #queue: Write[] = [];
  #scheduled = false;
  /** Writes that the next group waits for. */
  #awaited = 1;
  #hold: NodeJS.Timeout | null = null;
  #commitMs = 0;
  #dead: HostError | null = null;
  /** The log has what the database may have lost: it must be there at the next start. */
  mustKeepLog = false;

  constructor(connection: Connection, { heads, copier, lockPath }: Beside) {
    this.#connection = connection;
    this.#heads = heads;
    this.#copier = copier;
    this.#files = new FileGuard([
      ...filesOf(connection),
      // With another lock.db in its place somebody else may own the folder already.
      ...(lockPath === null ? [] : [lockPath]),
    ]);
  }

  /** Throws what every call has to throw from now on, if the store is closed or lost. */
  admit(): void {
    if (this.#dead !== null) throw this.#dead;
  }

  write<T>(work: () => T): Promise<Outcome<T>> {
    this.admit();
    return new Promise((resolve) => {
      const settle = resolve as (outcome: Outcome<unknown>) => void;
      this.#queue.push({ work, settle, outcome: notYet });
      if (this.#queue.length >= this.#awaited) this.#schedule();
      else this.#hold ??= setTimeout(() => this.#schedule(), this.#holdMs());
    });
  }

  #holdMs(): number {
    return Math.min(this.#commitMs * holdFactor, holdMsMax);
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#flush());
  }

  /** For writes whose caller can do nothing with an unknown outcome but stop. */
  async persist<T>(work: () => T): Promise<T> {
    const outcome = await this.write(work);
    if (outcome.kind === "done") return outcome.value;
    throw outcome.error;
  }

  /** The files are no longer ours: nothing in the folder may be touched. */
  get isGone(): boolean {
    return this.#dead?.code === "STORE_GONE";
  }

  /** Lets nothing in any more; what is queued is written first. */
  close(): void {
    while (this.#queue.length > 0 && this.#dead === null) this.#flush();
    this.#dead ??= closedError();
  }

  #flush(): void {
    this.#scheduled = false;
    if (this.#hold !== null) clearTimeout(this.#hold);
    this.#hold = null;
    const group = this.#queue.splice(0, groupWritesMax);
    if (group.length === 0) return;
    if (this.#queue.length > 0) this.#schedule();
    // One slow turn says little, so that the number shrinks by halves.
    const least = Math.floor(this.#awaited / 2);
    this.#awaited = Math.min(Math.max(group.length, least, 1), awaitedMax);
    if (this.#dead === null) this.#persistGroup(group);
    else for (const write of group) write.outcome = { kind: "failed", error: this.#dead };
    for (const write of group) write.settle(write.outcome);
    this.#connection.atBoundary?.("group acknowledged");
    if (this.#dead === null) this.#copier?.groupKept(this.#syncFailed);
  }

  #persistGroup(group: readonly Write[]): void {
    try {
      this.#checkFiles();
      this.#connection.atBoundary?.("group waiting");
      this.#begin();
      const [first] = group;
      if (group.length === 1 && first !== undefined) this.#runAlone(first);
      else if (!this.#runTogether(group)) this.#runApart(group);
    } catch (error) {
      return this.#abandon(group, error);
    }
    if (!this.#connection.db.isTransaction) return;
    try {
      this.#connection.atBoundary?.("group written");
      const startedAt = performance.now();
      this.#connection.run("COMMIT");
      const tookMs = performance.now() - startedAt;
      this.#commitMs += (tookMs - this.#commitMs) * lastCommitWeight;
      this.#connection.atBoundary?.("group committed");
      this.groupCount += 1;
      this.#heads.groupKept();
    } catch (error) {
      this.#commitFailed(group, error);
    }
  }

  #begin(): void {
    this.#heads.groupBegins();
    this.#connection.run("BEGIN IMMEDIATE");
    this.#connection.atBoundary?.("group begun");
  }

  /** The transaction is its own savepoint. */
  #runAlone(write: Write): void {
    try {
      write.outcome = { kind: "done", value: write.work() };
    } catch (error) {
      if (!isOwnFault(error)) throw error;
      write.outcome = { kind: "failed", error };
      this.#connection.run("ROLLBACK");
      this.#connection.atBoundary?.("group rolled back");
    }
  }

  /** Refusals are rare, and savepoints for all are dear. False = one was refused. */
  #runTogether(group: readonly Write[]): boolean {
    for (const write of group) {
      try {
        write.outcome = { kind: "done", value: write.work() };
      } catch (error) {
        if (!isOwnFault(error)) throw error;
        return false;
      }
    }
    return true;
  }

  /** From the beginning; what each said before does not count. */
  #runApart(group: readonly Write[]): void {
    this.#connection.run("ROLLBACK");
    this.#connection.atBoundary?.("group rolled back");
    this.#begin();
    for (const write of group) this.#runBeside(write);
  }

  #runBeside(write: Write): void {
    this.#connection.run("SAVEPOINT one");
    this.#connection.atBoundary?.("savepoint set");
    try {
      write.outcome = { kind: "done", value: write.work() };
    } catch (error) {
      if (!isOwnFault(error)) throw error;
      write.outcome = { kind: "failed", error };
      this.#connection.run("ROLLBACK TO one");
      this.#connection.atBoundary?.("savepoint rolled back");
    }
    this.#connection.run("RELEASE one");
    this.#connection.atBoundary?.("savepoint released");
  }

  /** Failed before COMMIT: surely nothing of the group was written. */
  #abandon(group: readonly Write[], cause: unknown): void {
    const error = storeError(cause, { path: this.#connection.path, doing: "Writing" });
    try {
      if (this.#connection.db.isTransaction) this.#connection.db.exec("ROLLBACK");
    } catch (second) {
      this.#dead = deadError(this.#connection.path, second);
    }
    for (const write of group) write.outcome = { kind: "failed", error };
  }

  /**
   * A full disk or a foreign lock stops COMMIT before its last frame is written, so that no
   * recovery can ever find it: the group failed. Any other error may have come from the sync
   * after it. Then this process must not go on: what it would read next is not what a restart
   * would find.
   */
  #commitFailed(group: readonly Write[], cause: unknown): void {
    const code = isSqliteError(cause) ? primaryCode(cause) : resultCode.ioError;
    if (code === resultCode.full || code === resultCode.busy) return this.#abandon(group, cause);
    const error = deadError(this.#connection.path, cause);
    this.#dead = error;
    for (const write of group) write.outcome = { kind: "unknown", error };
  }

  /** Nothing is unknown: what was acknowledged is in the log, and a start takes it from there. */
  readonly #syncFailed = (cause: unknown): void => {
    this.mustKeepLog = true;
    this.#dead ??= unsyncedError(this.#connection.path, cause);
  };

  #checkFiles(): void {
    const path = this.#files.findGone();
    if (path === null) return;
    this.#dead = goneError(path);
    throw this.#dead;
  }
}

/** The write itself was refused; the disk and the transaction are well. */
function isOwnFault(error: unknown): boolean {
  return error instanceof ChangeRefused || isRefusal(error) || !isSqliteError(error);
}

function filesOf({ path, mode }: Connection): string[] {
  return mode === "memory" ? [] : [path, `${path}-wal`];
}

function unsyncedError(path: string, cause: unknown): HostError {
  return hostError("STORE_IO", {
    what: `Syncing ${path} failed (${cause instanceof Error ? cause.message : String(cause)}).`,
    remedy:
      "All that was acknowledged is in the log beside it, so this process must end and leave it " +
      "there. Check the disk, then start again: what is there is whole.",
    cause,
    details: { path },
  });
}

function deadError(path: string, cause: unknown): HostError {
  return hostError("STORE_IO", {
    what: `Syncing ${path} failed (${cause instanceof Error ? cause.message : String(cause)}).`,
    remedy:
      "Whether the last group was kept is unknown, so this process must end. Check the disk, " +
      "then start again: what is there is whole.",
    retry: "unknown",
    cause,
    details: { path },
  });
}
