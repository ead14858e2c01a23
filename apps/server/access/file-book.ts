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
  type Stats,
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
const writableByOthers = process.platform === "win32" ? 0 : 0o022;

/**
 * One file that hosts and commands share. Whoever changes it has its lock and puts a whole new file
 * in its place; whoever reads it looks whether it is another file than last time.
 */
export class FileBook implements AccessBook {
  readonly path: string;
  #seen: Seen | null = null;

  constructor(path: string) {
    this.path = path;
  }

  get isThere(): boolean {
    return existsSync(this.path);
  }

  read(): AccessState {
    try {
      const stat = statSync(this.path);
      if (this.#seen === null || !isSameFile(this.#seen.stat, stat)) this.#seen = this.#load();
      return this.#seen.state;
    } catch (error) {
      throw this.#explain(error);
    }
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

  #load(): Seen {
    const handle = openSync(this.path, "r");
    try {
      const stat = fstatSync(handle);
      if ((stat.mode & writableByOthers) !== 0) {
        throw unusable(this.path, "other users may write to it");
      }
      return { stat, state: this.#parse(readFileSync(handle, "utf8")) };
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
      throw this.#explain(error);
    }
  }

  #explain(error: unknown): HostError {
    if (error instanceof HostError) return error;
    const { code, message } = error as NodeJS.ErrnoException;
    return unusable(this.path, code === "ENOENT" ? "it is not there" : message, error);
  }
}

type FileStat = Pick<Stats, "ino" | "ctimeMs" | "size">;
type Seen = { readonly stat: FileStat; readonly state: AccessState };

/**
 * A file that was put in its place is another one, whatever its times say. Times are told to a
 * quarter of a microsecond: in whole nanoseconds they cost every request more than they tell.
 */
function isSameFile(seen: FileStat, now: FileStat): boolean {
  return seen.ino === now.ino && seen.ctimeMs === now.ctimeMs && seen.size === now.size;
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
