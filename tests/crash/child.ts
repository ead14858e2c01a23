/**
 * The program that dies: one life on a data folder. Counts the write boundaries it passes and ends
 * itself at the one it is told to, as if the power of the process, not of the disk, had gone.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Boundary, openSqliteStore } from "@holdfast/store/sqlite";
import { Life } from "./life.ts";
import { LifeClock } from "./life-clock.ts";
import { Outside } from "./outside.ts";
import { breakages, say, witnessed } from "./witness.ts";

const { values } = parseArgs({
  options: {
    folder: { type: "string" },
    life: { type: "string" },
    "kill-at": { type: "string", default: "0" }, // 0 = never
    boundary: { type: "string" }, // counts only the calls of this one
    break: { type: "string" },
  },
});

const killAt = Number(values["kill-at"]);
const passed: Boundary[] = [];
let callCount = 0;

function atBoundary(boundary: Boundary): void {
  passed.push(boundary);
  if (values.boundary !== undefined && values.boundary !== boundary) return;
  callCount += 1;
  if (callCount !== killAt) return;
  say({ kind: "killed", call: killAt, boundary });
  process.kill(process.pid, "SIGKILL");
  // The signal may take a moment to arrive; not one instruction of the store may run in it.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

async function main(folder: string, life: number): Promise<void> {
  const breakage = breakages.find((name) => name === values.break) ?? null;
  const store = await openSqliteStore({
    folder: join(folder, "data"),
    clock: new LifeClock(life).now,
    newIncarnation: () => "store-1",
    atBoundary,
  });
  const outside = new Outside(join(folder, "outside"));
  await new Life({ store, witnessed: witnessed(store, breakage), outside, life }).live();
  await store.close();
  say({ kind: "finished", boundaries: passed });
}

if (values.folder === undefined || values.life === undefined) throw new Error("folder and life?");
await main(values.folder, Number(values.life));
