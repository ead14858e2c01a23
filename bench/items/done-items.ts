import { join } from "node:path";
import type { Sandbox } from "@holdfast/sandbox";
import type { BenchContext, Measured } from "../harness/bench.ts";
import { median, spreadOf } from "../harness/percentile.ts";
import { JobWorld } from "./job-world.ts";

const [few, many, manyQuick] = [500, 10_000, 2_000] as const;
const [rounds, roundsQuick] = [3, 2] as const;
/** What a run writes of its own: that it was asked for, began and ended. */
const factsOfRun = 10;

const body = (count: number) => `
  for (const id of Array.from({ length: ${count} }, (_, at) => String(at))) {
    await ctx.withItem("item:" + id, "Item " + id, async () => {});
  }`;

/** A done item costs the same, however many there are. */
export async function measureDoneItems(
  context: BenchContext,
  sandbox: Sandbox,
): Promise<readonly Measured[]> {
  const count = context.quick ? manyQuick : many;
  const small = await filled(context, sandbox, few);
  const large = await filled(context, sandbox, count);
  context.progress(`${count} done items`);
  const [beside, among]: [number[], number[]] = [[], []];
  for (let round = 0; round < (context.quick ? roundsQuick : rounds); round++) {
    beside.push(((await small.ask("run_now", {})) * 1_000) / few);
    among.push(((await large.ask("run_now", {})) * 1_000) / count);
  }
  await small.close();
  await large.close();
  const metric = `a done item, ${few} in the run`;
  return [
    { metric, value: median(beside), unit: "µs", spread: spreadOf(beside) },
    {
      metric: `a done item, ${count} in the run`,
      value: median(among),
      unit: "µs",
      spread: spreadOf(among),
      reference: median(beside),
      against: metric,
      ratio: median(among.map((each, round) => each / (beside[round] ?? Number.NaN))),
      must: { atMost: 1.5 },
    },
  ];
}

async function filled({ folder }: BenchContext, sandbox: Sandbox, count: number) {
  const world = await JobWorld.open(join(folder, `done-${count}`), sandbox, body(count));
  await world.putDoneItems(Array.from({ length: count }, (_, at) => `item:${at}`));
  const before = await world.headSeq();
  await world.ask("run_now", {});
  const written = (await world.headSeq()) - before;
  if (written > factsOfRun) throw new Error(`${written} facts: the items were not all done`);
  return world;
}
