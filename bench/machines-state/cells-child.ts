/**
 * `node cells-child.ts <task> <folder> <cells> <count>`: one task with a workflow of many cells, in
 * a process of its own, so that what it takes in memory is its own. Says what it found as JSON.
 */
import { type MachineFrameRow, policyDefaults } from "@holdfast/core";
import { collectParts } from "@holdfast/host";
import { Sandbox } from "@holdfast/sandbox";
import { loadCounting, MachineWorld, workflow } from "../machines/machine-world.ts";
import { cellName, seedCells } from "./seed-cells.ts";

export type Found = Readonly<Record<string, number>>;
type Given = {
  readonly world: (policy?: Partial<typeof policyDefaults>) => Promise<MachineWorld>;
  readonly cells: number;
  readonly count: number;
};

const machine = "cells";
/** No snapshot comes by itself. */
const never = { machineSnapshotRecords: 1_000_000_000 };
/** An order that has nothing to do with where cells lie; the cells of two rounds are others. */
const stride = 7_919;

function spread({ cells, count }: Given, round: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => {
    return cellName(((round * count + at) * stride) % cells);
  });
}

/** Steps a second, on the clock. */
async function rateOf(count: number, work: () => Promise<void>): Promise<number> {
  const beganMs = performance.now();
  await work();
  return (count * 1_000) / (performance.now() - beganMs);
}

/** Events for cells of which none is at hand, and then the same for the same ones. */
async function access(given: Given): Promise<Found> {
  const world = await given.world();
  await world.askForSnapshot();
  const life = await world.begin();
  await life.work();
  const rate = async (round: number) => {
    await world.fill(machine, spread(given, round), life.work);
    return rateOf(given.count, life.work);
  };
  // Compilers get warm in the first.
  await rate(0);
  await rate(0);
  const rounds: { readonly away: number; readonly hot: number }[] = [];
  for (let round = 1; round <= 3; round++) {
    const away = await rate(round);
    rounds.push({ away, hot: await rate(round) });
  }
  await life.end();
  await world.close();
  const [middle = { away: 0, hot: 1 }] = rounds
    .sort((left, right) => left.away / left.hot - right.away / right.hot)
    .slice(1);
  return { ...middle, ratio: middle.away / middle.hot };
}

/** A snapshot, so many records behind it, and one event that waits. */
async function tail(given: Given): Promise<Found> {
  const world = await given.world(never);
  await world.askForSnapshot();
  await world.work();
  const from = await lastSeq(world);
  await world.fill(machine, spread(given, 7));
  await world.work();
  const records = (await lastSeq(world)) - from;
  await world.send({ machine, key: cellName(0), id: "the first after it" });
  await world.close();
  return { records };
}

async function framesOf({ store }: MachineWorld, limit: number) {
  const query = { workflow, list: "machineFrames", of: [], after: null, downTo: null } as const;
  const rows: readonly MachineFrameRow[] = await store.listRows({ ...query, limit });
  return rows;
}

async function lastSeq(world: MachineWorld): Promise<number> {
  return (await framesOf(world, 1))[0]?.lastSeq ?? 0;
}

/** From the closed store until the step of the event that waits is durable. */
async function restart(given: Given): Promise<Found> {
  const beganMs = performance.now();
  const world = await given.world(never);
  const before = await lastSeq(world);
  await world.work();
  const seconds = (performance.now() - beganMs) / 1_000;
  if ((await lastSeq(world)) === before) throw new Error("nothing was stepped");
  await world.close();
  return { seconds };
}

/** All that was replaced since goes; before that it is counted. */
async function collect(given: Given): Promise<Found> {
  const world = await given.world();
  const { store } = world;
  const policy = { ...policyDefaults, machineSnapshotsKept: 1, machinePartGraceMs: 0 };
  const loadScript = async () => world.script.hosted;
  const monotonicMs = () => performance.now();
  const parts = { store, workflow, loadScript, policy, monotonicMs };
  const beganMs = performance.now();
  const { parts: partCount, swept } = await collectParts(parts, { isDryRun: false });
  const seconds = (performance.now() - beganMs) / 1_000;
  await world.close();
  return { partCount, swept, seconds };
}

/** Steps that are sent one by one while a snapshot of `count` changed cells is due. */
async function delays(given: Given): Promise<Found> {
  const rounds: { readonly median: number; readonly longest: number }[] = [];
  for (let round = 0; round < 5; round++) rounds.push(await delaysOf(given, round));
  rounds.sort((left, right) => left.longest / left.median - right.longest / right.median);
  const { median, longest } = rounds[2] ?? { median: 1, longest: 0 };
  const worst = Math.max(...rounds.map((each) => each.longest / each.median));
  return { median, longest, ratio: longest / median, worst };
}

const singleSteps = 300;

async function delaysOf(given: Given, round: number) {
  // A step is two records.
  const world = await given.world({ machineSnapshotRecords: given.count * 2 });
  await world.askForSnapshot();
  await world.work();
  await world.fill(machine, spread({ ...given, count: given.count - 10 }, round + 1));
  // One that has not seen how much the last snapshot wrote, and so does not wait for it.
  const life = await world.begin();
  await life.work();
  const times: number[] = [];
  for (let at = 0; at < singleSteps; at++) {
    await world.send({ machine, key: cellName(at * stride), id: `order-${at}` });
    const beganMs = performance.now();
    await life.work();
    times.push(performance.now() - beganMs);
  }
  const frames = await framesOf(world, singleSteps);
  const taken = frames.findIndex(({ snapshot }) => snapshot !== null);
  // Newest first: it came with one of these steps, and not with the first of them.
  if (taken === -1 || taken > singleSteps - 5) throw new Error("no snapshot was taken in pieces");
  await life.end();
  await world.close();
  times.sort((left, right) => left - right);
  return { median: times[singleSteps / 2] ?? 0, longest: times.at(-1) ?? 0 };
}

async function seed({ world: open, cells }: Given): Promise<Found> {
  const world = await open();
  await seedCells(world, cells);
  await world.close();
  return {};
}

const tasks = { seed, access, tail, restart, collect, delays };
export type Task = keyof typeof tasks;

const [task = "", folder = "", cells = "", count = ""] = process.argv.slice(2);
const sandbox = await Sandbox.open({ threadsMax: 1 });
const script = await loadCounting(sandbox);
const world: Given["world"] = (policy) =>
  task === "seed" ? MachineWorld.open(folder, script) : MachineWorld.reopen(folder, script, policy);
const found = await tasks[task as Task]({ world, cells: Number(cells), count: Number(count) });
await sandbox.close();
const residentMiB = process.resourceUsage().maxRSS / 1_024;
process.stdout.write(`${JSON.stringify({ ...found, residentMiB })}\n`);
