/**
 * Asks the real adapter for one durable thing after the other and notes how many syncs the system
 * saw during each. With --syncing off the store's own connection is told, behind its back, not to
 * sync: the count must then show it, or it counts nothing.
 */
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parseArgs } from "node:util";
import { type Change, genesisHash, sealRecords } from "@holdfast/core";
import { openSqliteStore } from "@holdfast/store/sqlite";
import { readSyncCount } from "./file-calls.ts";
import type { SyncMethod, SyncReport } from "./sync-report.ts";

const { values } = parseArgs({
  options: {
    folder: { type: "string", default: "" },
    method: { type: "string", default: "" },
    file: { type: "string", default: "" }, // where the counts come in
    syncing: { type: "string", default: "full" },
    rounds: { type: "string", default: "1" },
    together: { type: "string", default: "1" }, // changes that share a group
  },
});
const roundCount = Number(values.rounds);
const togetherCount = Number(values.together);

const readers: Readonly<Record<SyncMethod, () => number>> = {
  preload: () => readSyncCount(values.file),
  strace: () => readFileSync(values.file, "utf8").match(/\b(fsync|fdatasync)\(/g)?.length ?? 0,
  // A thread that waits for the disk gives up its core of its own will; nothing else here waits.
  "context switches": () =>
    Number(
      /^voluntary_ctxt_switches:\s+(\d+)/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1],
    ),
};

const countSyncs = readers[values.method as SyncMethod];

async function syncsDuring(work: () => unknown): Promise<number> {
  const before = countSyncs();
  await work();
  return countSyncs() - before;
}

/** What the method says of plain writes and of plain syncs, five each. */
async function calibrate(): Promise<{ plain: number; synced: number }> {
  const fd = openSync(join(values.folder, "calibration"), "w");
  const repeat = (work: () => void) => () => {
    for (let round = 0; round < 5; round += 1) work();
  };
  const write = () => writeSync(fd, "some bytes that have to reach the disk\n");
  const plain = await syncsDuring(repeat(write));
  const synced = await syncsDuring(
    repeat(() => {
      write();
      fsyncSync(fd);
    }),
  );
  closeSync(fd);
  return { plain, synced };
}

/** The connections the adapter opens from now on: it gives no handle away, and rightly so. */
function watchConnections(): readonly DatabaseSync[] {
  const opened: DatabaseSync[] = [];
  const { exec } = DatabaseSync.prototype;
  DatabaseSync.prototype.exec = function watchedExec(this: DatabaseSync, sql: string): void {
    if (!opened.includes(this)) opened.push(this);
    exec.call(this, sql);
  };
  return opened;
}

function changeOf(workflow: string): Change {
  const fact = { kind: "workflow_error_cleared", actor: "tester" } as const;
  const head = { seq: 0, hash: genesisHash };
  const records = sealRecords(workflow, head, [{ seq: 1, at: 1, fact }]);
  const rest = { rows: [], blobs: [], dueAt: 1, settledBelow: [] };
  const noTrace = { trace: null, budgets: [], forgetTracesThrough: null };
  return { workflow, epoch: 0, expectedHead: 0, records, ...rest, ...noTrace };
}

async function measure(): Promise<SyncReport> {
  const calibration = await calibrate();
  const connections = watchConnections();
  // A write that changes nothing needs no sync, so time has to pass between heartbeats.
  let now = 1;
  const clock = () => ++now;
  const newIncarnation = () => "store-1";
  const store = await openSqliteStore({ folder: values.folder, clock, newIncarnation });
  const writer = connections.find((db) => db.location()?.endsWith("holdfast.db"));
  if (writer === undefined) throw new Error("the adapter's connection was not seen");
  if (values.syncing === "off") writer.exec("PRAGMA synchronous = OFF");
  const rounds: { what: string; syncs: number }[] = [];
  const round = async (what: string, work: () => Promise<unknown>) => {
    rounds.push({ what, syncs: await syncsDuring(work) });
  };
  const body = new Uint8Array([0]);
  await round("openHost", () => store.openHost({ incarnation: "host-1", leaseMs: 1_000_000 }));
  for (let index = 0; index < roundCount; index += 1) {
    const workflow = `alone-${index}`;
    const command = { commandId: "c", workflow, actor: "tester", kind: "none", body, at: 1 };
    await round("createWorkflow", () => store.createWorkflow(workflow));
    await round("commit", () => store.commit([changeOf(workflow)]));
    await round("appendCommand", () => store.appendCommand(command));
    await round("heartbeat", () => store.heartbeat("host-1"));
    let claimed = { workflow, epoch: 0 };
    await round("claim", async () => {
      claimed = (await store.claim("host-1", 1)).claims[0] ?? claimed;
    });
    await round("release", () => store.release("host-1", claimed));
  }
  const names = Array.from({ length: togetherCount }, (_, index) => `together-${index}`);
  await Promise.all(names.map((name) => store.createWorkflow(name)));
  const together = await syncsDuring(() =>
    Promise.all(names.map((name) => store.commit([changeOf(name)]))),
  );
  await round("closeHost", () => store.closeHost("host-1"));
  await store.close();
  return { calibration, rounds, together };
}

process.stdout.write(JSON.stringify(await measure()));
