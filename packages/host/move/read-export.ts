import { createHash } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";
import { resolve } from "node:path";
import { type Hash, HostError } from "@holdfast/core";
import { type CheckedEntry, ExportCheck, ExportFault } from "./export-check.ts";
import {
  decodeEntry,
  type EndEntry,
  entryBytesMax,
  firstLine,
  lengthBytes,
} from "./export-entry.ts";
import { digestText } from "./export-file.ts";

const bufferBytes = 1_048_576;

/** The bytes of a file one after the other, read ahead. */
class FileBytes {
  readonly #file: number;
  readonly #buffer = Buffer.alloc(bufferBytes);
  #from = 0;
  #to = 0;

  constructor(path: string) {
    this.#file = openSync(path, "r");
  }

  /** Copied, because what is read next is written over it. Fewer = the file ends. */
  take(count: number): Uint8Array {
    const bytes = Buffer.alloc(count);
    let at = 0;
    while (at < count) {
      if (this.#from === this.#to && !this.#fill()) return bytes.subarray(0, at);
      const some = Math.min(count - at, this.#to - this.#from);
      this.#buffer.copy(bytes, at, this.#from, this.#from + some);
      at += some;
      this.#from += some;
    }
    return bytes;
  }

  #fill(): boolean {
    this.#from = 0;
    this.#to = readSync(this.#file, this.#buffer, 0, bufferBytes, null);
    return this.#to > 0;
  }

  close(): void {
    closeSync(this.#file);
  }
}

export type ReadExport = {
  readonly hash: Hash;
  readonly check: ExportCheck;
};

/**
 * Every entry, checked, in order; what comes back at last says that it was all. A file that is
 * cut off, longer or another is EXPORT_UNREADABLE, at the latest after its last entry.
 */
export function* readExport(given: string): Generator<CheckedEntry, ReadExport> {
  const path = resolve(given);
  const bytes = openBytes(path);
  try {
    return yield* readEntries(bytes);
  } catch (error) {
    if (error instanceof ExportFault) throw unreadable(path, error.message);
    throw error;
  } finally {
    bytes.close();
  }
}

function* readEntries(bytes: FileBytes): Generator<CheckedEntry, ReadExport> {
  const digest = createHash("sha256");
  const check = new ExportCheck();
  const first = bytes.take(firstLine.length);
  admitFirstLine(Buffer.from(first).toString("latin1"));
  digest.update(first);
  for (let entryCount = 0; ; entryCount += 1) {
    const length = takeAll(bytes, lengthBytes);
    const body = takeAll(bytes, admitLength(Buffer.from(length).readUInt32BE()));
    const entry = checked(check, body);
    if (entry.kind === "end") {
      const hash = digestText(digest.copy());
      admitEnd(entry, { entryCount, hash });
      if (bytes.take(1).length > 0) throw new ExportFault("something comes after its end");
      return { hash, check };
    }
    digest.update(length);
    digest.update(body);
    yield entry;
  }
}

/** Everything, and nothing is kept of it. */
export function checkExport(path: string): ReadExport {
  const entries = readExport(path);
  for (;;) {
    const next = entries.next();
    if (next.done === true) return next.value;
  }
}

function checked(check: ExportCheck, body: Uint8Array): CheckedEntry {
  try {
    return check.take(decodeEntry(body));
  } catch (error) {
    if (error instanceof ExportFault) throw error;
    throw new ExportFault(`an entry cannot be read (${String(error)})`);
  }
}

function takeAll(bytes: FileBytes, count: number): Uint8Array {
  const found = bytes.take(count);
  if (found.length < count) throw new ExportFault("it is cut off");
  return found;
}

function admitLength(length: number): number {
  if (length > entryBytesMax) throw new ExportFault("an entry is longer than any can be");
  return length;
}

function admitFirstLine(text: string): void {
  if (text === firstLine) return;
  if (!text.startsWith("holdfast export ")) throw new ExportFault("it does not begin like one");
  throw new ExportFault("it was written by another version of Holdfast");
}

function admitEnd(
  end: EndEntry,
  found: { readonly entryCount: number; readonly hash: Hash },
): void {
  if (end.entryCount !== found.entryCount) {
    throw new ExportFault(`it has ${found.entryCount} entries and says ${end.entryCount}`);
  }
  if (end.hash !== found.hash) throw new ExportFault("its bytes have another hash than it says");
}

function openBytes(path: string): FileBytes {
  try {
    return new FileBytes(path);
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause);
    throw unreadable(path, `it cannot be opened (${said})`, cause);
  }
}

export function unreadable(path: string, why: string, cause?: unknown): HostError {
  return new HostError("EXPORT_UNREADABLE", {
    what: `${path}: ${why}.`,
    remedy: "Nothing was imported from it. Copy the file again from where it was written.",
    retry: "safe",
    cause,
    details: { path },
  });
}
