import {
  type BigIntStats,
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
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
  /** What the store was opened as; null = not known, from before this was noted. */
  readonly openedAs: string | null;
  /** This is a copy of a folder, or of its note, that nobody has accepted as restored yet. */
  readonly copied: boolean;
};

/** Which file the note was written to, in the note itself: a copy of it is another file. */
type WrittenNote = OwnerNote & { readonly file: string | null };

function notePath(folder: string): string {
  return join(folder, "lock.json");
}

/** Null = there is none. One that cannot be understood is refused: it may have named a store. */
export function loadOwnerNote(folder: string): OwnerNote | null {
  const path = notePath(folder);
  if (!existsSync(path)) return null;
  const note = parseNote(readFileSync(path, "utf8"));
  if (note !== null) {
    const { file, ...rest } = note;
    const copied = file !== null && file !== fileName(statSync(path, { bigint: true }));
    return { ...rest, copied: rest.copied || copied };
  }
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
  const file = writeNote(folder, note, (draft) => fileName(fstatSync(draft, { bigint: true })));
  // Where renaming makes it another file, nothing can be told from its name.
  if (fileName(statSync(path, { bigint: true })) !== file) writeNote(folder, note, () => null);
}

function writeNote(
  folder: string,
  note: OwnerNote,
  nameOf: (draft: number) => string | null,
): string | null {
  const path = notePath(folder);
  const draft = openSync(`${path}.new`, "w");
  try {
    const written: WrittenNote = { ...note, file: nameOf(draft) };
    writeFileSync(draft, `${JSON.stringify(written)}\n`);
    fsyncSync(draft);
    renameSync(`${path}.new`, path);
    syncFolder(folder);
    return written.file;
  } finally {
    closeSync(draft);
  }
}

/** No program can give a file of its own the number and the birth of another. */
function fileName({ ino, birthtimeNs }: BigIntStats): string {
  return `${ino}/${birthtimeNs}`;
}

function parseNote(text: string): WrittenNote | null {
  try {
    const note: unknown = JSON.parse(text);
    const unknown = { openedAs: null, copied: false, file: null };
    return isOwnerNote(note) ? { ...unknown, ...note } : null;
  } catch {
    return null;
  }
}

/** Older notes have only these. */
function isOwnerNote(note: unknown): note is Omit<WrittenNote, "openedAs" | "copied" | "file"> {
  if (typeof note !== "object" || note === null) return false;
  const { pid, since, storeIncarnation, open } = note as Partial<Record<keyof OwnerNote, unknown>>;
  const namesStore = typeof storeIncarnation === "string" || storeIncarnation === null;
  const namesOwner = typeof pid === "number" && typeof since === "string";
  return namesOwner && namesStore && typeof open === "boolean";
}
