import { Worker } from "node:worker_threads";
import type { SqlValue } from "../columns.ts";
import { closedError } from "../store-errors.ts";
import type { Connection, SqliteRow } from "./connection.ts";
import { storeError } from "./errors.ts";
import type { BulkQuery } from "./journal.ts";

/** Reads of any length. A stream is one consistent moment; batches arrive as they are asked for. */
export type BulkReader = {
  all(query: BulkQuery): Promise<readonly SqliteRow[]>;
  stream(query: BulkQuery): AsyncIterable<readonly SqliteRow[]>;
  durability(): Promise<Readonly<Record<string, SqlValue>>>;
  /**
   * As much of the log into the database as no reader still looks at; commits go on meanwhile.
   * `file` is the database, open, and is synced.
   */
  copyLog(file: number): Promise<void>;
  close(): Promise<void>;
};

export type Batch = { readonly rows: readonly SqliteRow[]; readonly done: boolean };

type RequestBody =
  | { readonly kind: "open"; readonly stream: number; readonly query: BulkQuery }
  | { readonly kind: "next" | "end"; readonly stream: number }
  | { readonly kind: "copy_log"; readonly file: number }
  | { readonly kind: "durability" | "close" };

export type ReaderRequest = RequestBody & { readonly id: number };

export type ReaderReply = {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: {
    readonly name: string;
    readonly message: string;
    readonly errcode: number | null;
  };
};

/** For a database in memory, which only its own connection can see. */
export function readInPlace(connection: Connection): BulkReader {
  const all = async ({ sql, values }: BulkQuery) => connection.rows(sql, ...values);
  return {
    all,
    // Everything at once: the connection that would hold the moment is also the one that writes.
    stream: async function* (query) {
      yield await all(query);
    },
    durability: async () => connection.durability(),
    copyLog: async () => {},
    close: async () => {},
  };
}

type Waiting = {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
};

/** Rows go to who asked as they are read; the engine would keep 64 MiB for what was let go of. */
const maxYoungGenerationSizeMb = 8;

/** Starts its thread with the first read and keeps it; an idle thread holds no process alive. */
export class ThreadReader implements BulkReader {
  readonly #path: string;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | null = null;
  #closed = false;
  #lastId = 0;

  constructor(path: string) {
    this.#path = path;
  }

  async all(query: BulkQuery): Promise<readonly SqliteRow[]> {
    const rows: SqliteRow[] = [];
    for await (const batch of this.stream(query)) rows.push(...batch);
    return rows;
  }

  async *stream(query: BulkQuery): AsyncIterable<readonly SqliteRow[]> {
    const stream = ++this.#lastId;
    let batch = (await this.#ask({ kind: "open", stream, query })) as Batch;
    let ahead: Promise<unknown> | null = null;
    try {
      while (!batch.done) {
        // The next batch is read while the caller works on this one.
        ahead = this.#ask({ kind: "next", stream });
        ahead.catch(() => {});
        yield batch.rows;
        batch = (await ahead) as Batch;
      }
      yield batch.rows;
    } finally {
      if (!batch.done) await this.#ask({ kind: "end", stream }).catch(() => {});
    }
  }

  async durability(): Promise<Readonly<Record<string, SqlValue>>> {
    return (await this.#ask({ kind: "durability" })) as Readonly<Record<string, SqlValue>>;
  }

  async copyLog(file: number): Promise<void> {
    await this.#ask({ kind: "copy_log", file });
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    const gone = worker && new Promise((resolve) => worker.once("exit", resolve));
    const asked = worker && this.#ask({ kind: "close" });
    this.#closed = true;
    await asked;
    // An idle thread keeps no process alive, but the rest of closing must not be left out.
    worker?.ref();
    await gone;
  }

  async #ask(body: RequestBody): Promise<unknown> {
    if (this.#closed) throw closedError();
    const worker = this.#start();
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      worker.ref();
      worker.postMessage({ ...body, id } satisfies ReaderRequest);
    });
  }

  #start(): Worker {
    if (this.#worker !== null) return this.#worker;
    const url = new URL("./reader-thread.ts", import.meta.url);
    const resourceLimits = { maxYoungGenerationSizeMb };
    const worker = new Worker(url, { workerData: { path: this.#path }, resourceLimits });
    worker.on("message", (reply: ReaderReply) => this.#settle(worker, reply));
    worker.on("error", (error) => this.#lost(worker, error));
    worker.on("exit", () => this.#lost(worker, new Error("the reader thread ended")));
    this.#worker = worker;
    return worker;
  }

  #settle(worker: Worker, { id, value, error }: ReaderReply): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) worker.unref();
    if (error === undefined) waiting?.resolve(value);
    else waiting?.reject(this.#restore(error));
  }

  #restore({ name, message, errcode }: NonNullable<ReaderReply["error"]>): Error {
    const said = Object.assign(new Error(message), { name }, errcode === null ? {} : { errcode });
    return storeError(said, { path: this.#path, doing: "Reading" });
  }

  #lost(worker: Worker, cause: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = null;
    const error = storeError(cause, { path: this.#path, doing: "Reading" });
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
  }
}
