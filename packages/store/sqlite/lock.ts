import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { isDeepStrictEqual } from "node:util";
import type { HostError, Instant } from "@holdfast/core";
import { hostError, isSqliteError, lockName, primaryCode, resultCode } from "./errors.ts";
import { findOwnerNote, loadOwnerNote, type OwnerNote, persistOwnerNote } from "./owner-note.ts";

/**
 * One process per data folder. The owner keeps an exclusive transaction open on lock.db for as
 * long as it lives: refused to everybody else while it runs or is merely stopped, given back by
 * the system the moment it dies, however it dies. Nothing in this process may open lock.db by
 * other means: closing any descriptor of a file drops the process's locks on it.
 */
export type FolderLock = {
  readonly path: string;
  /** The store that was last opened here; null = none ever was, as far as lock.json knows. */
  readonly lastIncarnation: string | null;
  /** The last owner died with its store open: the log must still be there. */
  readonly diedOpen: boolean;
  /** What it was opened as; null = there is no note, or an older one. */
  readonly lastOpenedAs: string | null;
  /** The folder, or its note, is a copy. */
  readonly isCopy: boolean;
  /** Says, for the next one to come, which store lives here and that its log exists. */
  readonly noteOpen: (store: Pick<OwnerNote, "openedAs"> & { storeIncarnation: string }) => void;
  /** Before the store is closed: SQLite then removes the log, and nobody may miss it. */
  readonly noteClosing: () => void;
  readonly release: () => void;
};

/** A collected connection closes; a store nobody refers to any more must not free its folder. */
const held = new Set<DatabaseSync>();

const newNote = { storeIncarnation: null, open: false, openedAs: null, copied: false } as const;

export function lockFolder(folder: string, now: Instant): FolderLock {
  const path = join(folder, lockName);
  // No waiting: whoever holds it holds it for life.
  const db = new DatabaseSync(path, { timeout: 0 });
  const owner = { pid: process.pid, since: new Date(now).toISOString() };
  try {
    db.exec("BEGIN EXCLUSIVE");
    // On a file it may not write, SQLite grants this to everybody, and locks nothing.
    accessSync(path, constants.W_OK);
    // Only now: a note read before could be older than what the last owner left.
    const last = loadOwnerNote(folder);
    let note: OwnerNote = { ...newNote, ...last, ...owner };
    persistOwnerNote(folder, note);
    const change = (set: Partial<OwnerNote>): void => {
      const next = { ...note, ...set };
      if (isDeepStrictEqual(next, note)) return;
      persistOwnerNote(folder, next);
      note = next;
    };
    held.add(db);
    return {
      path,
      lastIncarnation: note.storeIncarnation,
      diedOpen: note.open,
      lastOpenedAs: note.openedAs,
      isCopy: note.copied,
      noteOpen: (store) => change({ ...store, open: true, copied: false }),
      noteClosing: () => change({ open: false }),
      release: () => {
        held.delete(db);
        db.close();
      },
    };
  } catch (error) {
    db.close();
    throw isBusy(error) ? locked(folder) : error;
  }
}

function isBusy(error: unknown): boolean {
  return isSqliteError(error) && primaryCode(error) === resultCode.busy;
}

/** Who holds lock.db is known to the system alone; lock.json may be about an earlier owner. */
function locked(folder: string): HostError {
  const note = findOwnerNote(folder);
  const who =
    note === null ? "" : ` lock.json says it was process ${note.pid}, since ${note.since}.`;
  return hostError("STORE_LOCKED", {
    what: `${folder} is in use.${who}`,
    remedy: "Stop the process that has it open, wait until it is gone, then try again.",
    details: { folder, ...(note === null ? {} : { pid: note.pid }) },
  });
}
