import { createHash, type Hash as Digest } from "node:crypto";
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { type Hash, HostError } from "@holdfast/core";
import { type EndEntry, type ExportEntry, encodeEntry, firstLine } from "./export-entry.ts";

const bufferBytesMax = 1_048_576;

/** What is in it is for whoever may read the store, and for nobody else. */
const ownerOnly = 0o600;

export function digestText(digest: Digest): Hash {
  return `sha256:${digest.digest("hex")}` as Hash;
}

/**
 * Written under another name; it gets its own only when it is whole, on the disk, and the store it
 * came from will never go on.
 */
export class ExportFile {
  readonly path: string;
  readonly unfinished: string;
  readonly #digest = createHash("sha256");
  #file: number | null;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #entryCount = 0;

  constructor(path: string) {
    this.path = resolve(path);
    this.unfinished = `${this.path}.unfinished`;
    for (const taken of [this.path, this.unfinished]) if (existsSync(taken)) throw occupied(taken);
    this.#file = openSync(this.unfinished, "wx", ownerOnly);
    this.#put(Buffer.from(firstLine));
  }

  write(entry: ExportEntry): void {
    this.#entryCount += 1;
    this.#put(encodeEntry(entry));
  }

  /** On the disk when it returns. */
  end(): EndEntry {
    const hash = digestText(this.#digest.copy());
    const end: EndEntry = { kind: "end", entryCount: this.#entryCount, hash };
    this.#put(encodeEntry(end));
    this.#flush();
    if (this.#file !== null) fsyncSync(this.#file);
    this.#close();
    syncFolder(dirname(this.path));
    return end;
  }

  publish(): void {
    try {
      renameSync(this.unfinished, this.path);
      syncFolder(dirname(this.path));
    } catch (cause) {
      throw new HostError("EXPORT_REFUSED", {
        what: `The export is whole, but ${this.unfinished} could not be renamed.`,
        remedy: "The store is exported. Import that file as it is, or rename it by hand.",
        retry: "unsafe",
        cause,
        details: { file: this.unfinished },
      });
    }
  }

  discard(): void {
    this.#close();
    rmSync(this.unfinished, { force: true });
  }

  #put(bytes: Uint8Array): void {
    this.#digest.update(bytes);
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (this.#waitingBytes >= bufferBytesMax) this.#flush();
  }

  #flush(): void {
    const bytes = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#waitingBytes = 0;
    let at = 0;
    while (this.#file !== null && at < bytes.length) at += writeSync(this.#file, bytes, at);
  }

  #close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }
}

/** Otherwise the name may be gone after a power cut, and the bytes with it. */
function syncFolder(folder: string): void {
  const file = openSync(folder, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function occupied(path: string): HostError {
  return new HostError("EXPORT_REFUSED", {
    what: `${path} is there already.`,
    remedy:
      "Name another file. What ends in .unfinished is left of an export that was broken off: " +
      "remove it if the store it came from still starts. Nothing was written.",
    retry: "safe",
    details: { path },
  });
}
