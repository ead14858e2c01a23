/**
 * Loaded before the program: ends the process at the n-th point that it passes, before or after
 * it writes. Which points count is said by DIE_AMONG: `file` are calls that write, sync or name
 * one, `commit` are those of SQLite, `wire` are statements that write to a server.
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { Socket } from "node:net";
import { DatabaseSync, StatementSync } from "node:sqlite";

type Kind = "file" | "commit" | "wire";

const among = (process.env["DIE_AMONG"] ?? "").split(",");
const at = Number(process.env["DIE_AT"]);
let passed = 0;

function pass(kind: Kind): void {
  if (!among.includes(kind)) return;
  passed += 1;
  if (passed === at) process.kill(process.pid, "SIGKILL");
}

type AnyFunction = (this: unknown, ...args: never[]) => unknown;

function around(kind: Kind, real: AnyFunction, counts: (self: unknown, data: unknown) => boolean) {
  return function (this: unknown, ...args: never[]): unknown {
    if (!counts(this, args[0])) return real.apply(this, args);
    pass(kind);
    const answer = real.apply(this, args);
    pass(kind);
    return answer;
  };
}

for (const name of ["writeSync", "fsyncSync", "renameSync"] as const) {
  Object.assign(fs, { [name]: around("file", fs[name] as AnyFunction, () => true) });
}
syncBuiltinESMExports();

const isCommit = (self: unknown) => (self as StatementSync).sourceSQL === "COMMIT";
const { run } = StatementSync.prototype;
Object.assign(StatementSync.prototype, { run: around("commit", run as AnyFunction, isCommit) });

const { exec } = DatabaseSync.prototype;
const isCommitText = (_: unknown, sql: unknown) => sql === "COMMIT";
Object.assign(DatabaseSync.prototype, {
  exec: around("commit", exec as AnyFunction, isCommitText),
});

const writes = /COMMIT|INSERT INTO holdfast|UPDATE holdfast|holdfast\.commit_group/;
const isWrite = (_: unknown, data: unknown) =>
  data instanceof Uint8Array && writes.test(Buffer.from(data).toString("latin1"));
const { write } = Socket.prototype;
Object.assign(Socket.prototype, { write: around("wire", write as AnyFunction, isWrite) });
