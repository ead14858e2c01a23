import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { hostError } from "./errors.ts";
import { syncFolder } from "./sync-folder.ts";

/**
 * lock.json: who opened the folder last, and which store lives in it. It lies beside the database,
 * so that a database which was emptied or exchanged is not taken for the one that was there.
 */
export type OwnerNote = {
  readonly pid: number;
  readonly since: string;
  /** Null until a store was made here. */
  readonly storeIncarnation: string | null;
  /** From opening until just before closing; still true = the owner died, and left its log. */
  readonly open: boolean;
};

function notePath(folder: string): string {
  return join(folder, "lock.json");
}

/** Null = there is none. One that cannot be understood is refused: it may have named a store. */
export function loadOwnerNote(folder: string): OwnerNote | null {
  const path = notePath(folder);
  if (!existsSync(path)) return null;
  const note = parseNote(readFileSync(path, "utf8"));
  if (note !== null) return note;
  throw hostError("STORE_GONE", {
    what: `${path} cannot be understood, so nobody can say which store lived in this folder.`,
    remedy:
      "If you know that the database is the right one, remove lock.json and start again. If " +
      "not, restore a backup of the whole folder.",
    details: { path },
  });
}

/** For a message: whatever is wrong with the note must not hide what the message is about. */
export function findOwnerNote(folder: string): OwnerNote | null {
  try {
    return parseNote(readFileSync(notePath(folder), "utf8"));
  } catch {
    return null;
  }
}

/** The old note or the new one is there at every moment, and after every crash. */
export function persistOwnerNote(folder: string, note: OwnerNote): void {
  const path = notePath(folder);
  const draft = `${path}.new`;
  const file = openSync(draft, "w");
  try {
    writeFileSync(file, `${JSON.stringify(note)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
  syncFolder(folder);
}

function parseNote(text: string): OwnerNote | null {
  try {
    const note: unknown = JSON.parse(text);
    return isOwnerNote(note) ? note : null;
  } catch {
    return null;
  }
}

function isOwnerNote(note: unknown): note is OwnerNote {
  if (typeof note !== "object" || note === null) return false;
  const { pid, since, storeIncarnation, open } = note as Partial<Record<keyof OwnerNote, unknown>>;
  const namesStore = typeof storeIncarnation === "string" || storeIncarnation === null;
  const namesOwner = typeof pid === "number" && typeof since === "string";
  return namesOwner && namesStore && typeof open === "boolean";
}
