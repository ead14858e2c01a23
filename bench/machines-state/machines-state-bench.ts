import { join } from "node:path";
import type { Bench, BenchContext, Measured } from "../harness/bench.ts";
import { openBenchStore } from "../store/open-bench-store.ts";
import { KeptMachine } from "./kept-machine.ts";
import { measureManyCells } from "./many-cells.ts";

/** Processor time of all threads: others may use the machine meanwhile. */
async function cpuMs(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

const cells = 100_000;
const dirtyShare = 0.01;
const rounds = 5;

export const machinesStateBench: Bench = {
  name: "machines-state",
  describe: "snapshots by what changed, opening by size, and whole hosts with many cells",
  run: async (context) => {
    const many = await begin(context, "many", cells);
    const results = await measureSnapshots(many);
    const few = await begin(context, "few", cells / 100);
    const opening = await measureOpening(many, few);
    await Promise.all([many.machine.close(), few.machine.close()]);
    return [...results, opening, ...(await measureManyCells(context))];
  },
};

type Kept = { readonly machine: KeptMachine; readonly cells: number; readonly ids: number[] };

async function begin({ folder, progress }: BenchContext, name: string, cells: number) {
  progress(`${cells} cells`);
  const machine = await KeptMachine.open(await openBenchStore(join(folder, name)));
  const ids = Array.from({ length: cells }, (_, at) => at);
  await machine.tell(ids);
  return { machine, cells, ids };
}

/** Every cell changed, and then one in a hundred, spread over all of them. */
async function measureSnapshots({ machine, cells, ids }: Kept): Promise<readonly Measured[]> {
  // Compilers get warm in one of each.
  await machine.snapshot();
  await machine.tell(ids.filter((id) => id % (1 / dirtyShare) === rounds));
  await machine.snapshot();
  await machine.tell(ids);
  let allParts = 0;
  const all = await cpuMs(async () => {
    allParts = (await machine.snapshot()).partCount;
  });
  let someParts = 0;
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await machine.tell(ids.filter((id) => id % (1 / dirtyShare) === round));
    const ms = await cpuMs(async () => {
      someParts = (await machine.snapshot()).partCount;
    });
    times.push(ms);
  }
  const some = times.sort((left, right) => left - right)[Math.floor(rounds / 2)] ?? 0;
  const unit = "ms";
  return [
    { metric: `snapshot of ${cells} cells, all changed`, value: all, unit },
    {
      metric: `snapshot of ${cells} cells, 1 % changed`,
      value: some,
      unit,
      reference: all,
      ratio: some / all,
      must: { atMost: 0.05 },
      against: "all changed",
    },
    {
      metric: "parts written, 1 % changed",
      value: someParts,
      unit: "parts",
      reference: allParts,
      ratio: someParts / allParts,
      must: { atMost: 0.05 },
    },
  ];
}

async function measureOpening(many: Kept, few: Kept): Promise<Measured> {
  const [largest, smallest] = [await openingOf(many), await openingOf(few)];
  return {
    metric: `opening a snapshot of ${many.cells} cells`,
    value: largest,
    unit: "ms",
    reference: smallest,
    ratio: largest / smallest,
    must: { atMost: 10 },
    against: `${few.cells} cells`,
  };
}

/** Each time with a step, so that it is seen to work. */
const openings = 50;

async function openingOf({ machine }: Kept): Promise<number> {
  const { bytes } = await machine.snapshot();
  const ms = await cpuMs(async () => {
    for (let at = 0; at < openings; at++) {
      await machine.reopen(bytes);
      await machine.tell([at]);
    }
  });
  return ms / openings;
}
