import {
  closeSync,
  existsSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { HostError } from "@holdfast/core";
import { roles } from "@holdfast/protocol";
import { z } from "zod";
import { type AccessBook, type AccessState, type Change, emptyAccess } from "./access-book.ts";

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const file = z.strictObject({
  tokens: z.array(
    z.strictObject({
      name: z.string().min(1),
      role: z.enum(roles),
      hash,
      createdAt: z.int(),
      createdBy: z.string(),
      expiresAt: z.int().nullable(),
      // Files from before there was such a limit do not have it.
      workflows: z.array(z.string()).nullable().default(null),
    }),
  ),
  visits: z.array(
    z.strictObject({ hash, tokenHash: hash, startedAt: z.int(), expiresAt: z.int() }),
  ),
});

const lockWaitMs = 5_000;
/** Windows has no such bits: there the folder decides who may write. */
const writableByOthers = process.platform === "win32" ? 0n : 0o022n;

/**
 * One file that hosts and commands share. Whoever changes it has its lock and puts a whole new file
 * in its place; whoever reads it looks whether it is another file than last time.
 */
export class FileBook implements AccessBook {
  readonly path: string;
  #seen: { readonly stamp: string; readonly state: AccessState } | null = null;

  constructor(path: string) {
    this.path = path;
  }

  get isThere(): boolean {
    return existsSync(this.path);
  }

  read(): AccessState {
    return this.#explained(() => {
      const stamp = stampOf(statSync(this.path, { bigint: true }));
      if (this.#seen?.stamp !== stamp) this.#seen = this.#load();
      return this.#seen.state;
    });
  }

  update<T>(change: Change<T>): T {
    this.#explained(() => mkdirSync(dirname(this.path), { recursive: true }));
    return this.#locked(() => {
      const before = this.isThere ? this.#explained(() => this.#load().state) : emptyAccess;
      const { state, told } = change(before);
      if (state !== before) this.#explained(() => this.#replace(JSON.stringify(state, null, 2)));
      return told;
    });
  }

  #load(): { readonly stamp: string; readonly state: AccessState } {
    const handle = openSync(this.path, "r");
    try {
      const stat = fstatSync(handle, { bigint: true });
      if ((stat.mode & writableByOthers) !== 0n) {
        throw unusable(this.path, "other users may write to it");
      }
      return { stamp: stampOf(stat), state: this.#parse(readFileSync(handle, "utf8")) };
    } finally {
      closeSync(handle);
    }
  }

  #parse(text: string): AccessState {
    let read: unknown;
    try {
      read = JSON.parse(text);
    } catch {
      throw unusable(this.path, "it is not JSON");
    }
    const parsed = file.safeParse(read);
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    throw unusable(this.path, `${issue?.path.map(String).join(".")}: ${issue?.message}`);
  }

  /** Whole and on the disk before it counts: a revoked token must not come back with the power. */
  #replace(text: string): void {
    const fresh = `${this.path}.new`;
    const handle = openSync(fresh, "w", 0o600);
    try {
      fchmodSync(handle, 0o600);
      writeSync(handle, `${text}\n`);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(fresh, this.path);
    const folder = openSync(dirname(this.path), "r");
    fsyncSync(folder);
    closeSync(folder);
  }

  /** The system lets go of the lock when its process dies; a file that says "locked" would stay. */
  #locked<T>(act: () => T): T {
    const lock = this.#explained(() => {
      const database = new DatabaseSync(`${this.path}.lock`, { timeout: lockWaitMs });
      database.exec("BEGIN EXCLUSIVE");
      return database;
    });
    try {
      return act();
    } finally {
      lock.close();
    }
  }

  #explained<T>(act: () => T): T {
    try {
      return act();
    } catch (error) {
      if (error instanceof HostError) throw error;
      const { code, message } = error as NodeJS.ErrnoException;
      throw unusable(this.path, code === "ENOENT" ? "it is not there" : message, error);
    }
  }
}

/** A file that was put in its place is another one, whatever its times say. */
function stampOf(stat: { ino: bigint; ctimeNs: bigint; size: bigint }): string {
  return `${stat.ino} ${stat.ctimeNs} ${stat.size}`;
}

function unusable(path: string, why: string, cause?: unknown): HostError {
  return new HostError("TOKENS_UNUSABLE", {
    what: `${path}: ${why}.`,
    remedy: "Until it is mended nobody is let in; nothing was changed.",
    retry: "safe",
    cause,
    details: { path },
  });
}
