/**
 * The other side of reader.ts: bulk reads on a thread of their own, so that a list, a verify or a
 * copy of the log never holds up a commit. Each open stream has its own connection and read
 * transaction: what it gives is one moment of the database, however long the caller takes. Nothing
 * of the core is loaded here: the thread is up in 40 ms instead of 300.
 */
import { fsyncSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { Connection, type SqliteRow, syncFailedCode } from "./connection.ts";
import type { BulkQuery } from "./journal.ts";
import type { Batch, ReaderReply, ReaderRequest } from "./reader.ts";

const batchRowsMax = 256;
/** Connections kept open for the next stream; more are opened when more streams run at once. */
const idleConnectionsMax = 2;

type Stream = { readonly connection: Connection; readonly rows: Iterator<SqliteRow> };

const { path } = workerData as { readonly path: string };
const streams = new Map<number, Stream>();
const idle: Connection[] = [];

function answer(request: ReaderRequest): Batch | Readonly<Record<string, unknown>> | null {
  switch (request.kind) {
    case "open":
      return openStream(request.stream, request.query);
    case "next":
      return nextBatch(request.stream);
    case "end":
      endStream(request.stream);
      return null;
    case "durability":
      return withConnection((connection) => connection.durability());
    case "copy_log":
      copyLog(request.file);
      return null;
    case "close":
      for (const stream of [...streams.keys()]) endStream(stream);
      for (const connection of idle.splice(0)) connection.close();
      return null;
  }
}

function openStream(stream: number, { sql, values }: BulkQuery): Batch {
  const connection = idle.pop() ?? new Connection(path, "read");
  connection.db.exec("BEGIN");
  streams.set(stream, { connection, rows: connection.iterate(sql, ...values) });
  return nextBatch(stream);
}

function nextBatch(stream: number): Batch {
  const open = streams.get(stream);
  if (open === undefined) throw new Error(`stream ${stream} is not open`);
  const rows: SqliteRow[] = [];
  while (rows.length < batchRowsMax) {
    const step = open.rows.next();
    if (step.done === true) {
      endStream(stream);
      return { rows, done: true };
    }
    rows.push(step.value);
  }
  return { rows, done: false };
}

function endStream(stream: number): void {
  const open = streams.get(stream);
  if (open === undefined) return;
  streams.delete(stream);
  open.rows.return?.();
  giveBack(open.connection);
}

function giveBack(connection: Connection): void {
  if (connection.db.isTransaction) connection.db.exec("ROLLBACK");
  if (idle.length < idleConnectionsMax) idle.push(connection);
  else connection.close();
}

function withConnection<T>(use: (connection: Connection) => T): T {
  const connection = idle.pop() ?? new Connection(path, "read");
  try {
    return use(connection);
  } finally {
    giveBack(connection);
  }
}

/**
 * On a connection of its own, which is closed before the store's can be. SQLite syncs nothing of
 * what it copies until it has come to the end of the log, and then whoever commits would wait.
 */
function copyLog(file: number): void {
  const connection = new Connection(path, "copy");
  try {
    connection.row("PRAGMA wal_checkpoint(PASSIVE)");
  } finally {
    connection.close();
  }
  try {
    fsyncSync(file);
  } catch (error) {
    throw Object.assign(error as Error, { errcode: syncFailedCode });
  }
}

function describeError(error: unknown): ReaderReply["error"] {
  if (!(error instanceof Error)) return { name: "Error", message: String(error), errcode: null };
  const { name, message } = error;
  const errcode = "errcode" in error && typeof error.errcode === "number" ? error.errcode : null;
  return { name, message, errcode };
}

if (parentPort === null) throw new Error("the reader runs as a worker thread");
const port = parentPort;
port.on("message", (request: ReaderRequest) => {
  try {
    port.postMessage({ id: request.id, value: answer(request) });
  } catch (error) {
    if ("stream" in request) endStream(request.stream);
    port.postMessage({ id: request.id, error: describeError(error) });
  }
  if (request.kind === "close") port.close();
});
