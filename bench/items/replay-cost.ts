import { join } from "node:path";
import type { Sandbox } from "@holdfast/sandbox";
import type { BenchContext, Measured } from "../harness/bench.ts";
import { median, spreadOf } from "../harness/percentile.ts";
import { JobWorld } from "./job-world.ts";

const callCount = 20;
const [rounds, roundsQuick] = [40, 10] as const;

/** An item that never ends: each time it is resumed its calls are made again, up to the gate. */
const body = (operation: string) => `
  await ctx.withItem("a", "A", async (ctx) => {
    if (ctx.item.isDone) return;
    for (const id of "abcdefghijklmnopqrst") await ctx.shop.${operation}({ id });
    await ctx.shop.gate({});
  });`;

/** What the ledger answers costs little more than what a service answers at once. */
export async function measureReplay(
  { folder, quick }: BenchContext,
  sandbox: Sandbox,
): Promise<readonly Measured[]> {
  const stubbed = await JobWorld.open(join(folder, "stubbed"), sandbox, body("look"));
  const applied = await JobWorld.open(join(folder, "applied"), sandbox, body("book"));
  const [without, replayed]: [number[], number[]] = [[], []];
  await stubbed.ask("run_now", {});
  await applied.ask("run_now", {});
  const [a, b] = [await stubbed.openRun(), await applied.openRun()];
  for (let round = 0; round < (quick ? roundsQuick : rounds); round++) {
    without.push(await stubbed.ask("resume_run", { runId: a }));
    replayed.push(await applied.ask("resume_run", { runId: b }));
  }
  await stubbed.close();
  await applied.close();
  const metric = `an item with ${callCount} calls that are stubbed out`;
  return [
    { metric, value: median(without), unit: "ms", spread: spreadOf(without) },
    {
      metric: `a replay of an item with ${callCount} applied mutations`,
      value: median(replayed),
      unit: "ms",
      spread: spreadOf(replayed),
      reference: median(without),
      against: metric,
      ratio: median(replayed.map((each, round) => each / (without[round] ?? Number.NaN))),
      must: { atMost: 2 },
    },
  ];
}
