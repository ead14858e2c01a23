import { join } from "node:path";
import type { Store } from "@holdfast/core";
import type { BenchContext, Measured } from "../harness/bench.ts";
import { median, spreadOf } from "../harness/percentile.ts";
import { openBenchStore } from "../store/open-bench-store.ts";
import { recordRuns, timeBare } from "./bare-loop.ts";
import { type OrderScript, prepareOrders, workOff } from "./order-workflow.ts";

const orders = 300;
const ordersQuick = 100;
const manyWorkflows = 64;
/** A host works for months: what it does while its code is compiled is not measured. */
const [warmUpRounds, warmUpRoundsQuick] = [5, 2] as const;
/** Enough that claiming and loading them is not what is measured. */
const ordersOfEach = 30;

/** Runs of one workflow, one after the other; the bare loop makes the very same changes. */
export async function measureRates(
  context: BenchContext,
  script: OrderScript,
): Promise<readonly Measured[]> {
  const count = context.quick ? ordersQuick : orders;
  const recorded = await recordRuns(script, count);
  const [bare, one, many]: [number[], number[], number[]] = [[], [], []];
  const warmUp = context.quick ? warmUpRoundsQuick : warmUpRounds;
  for (let round = -warmUp; round < (context.quick ? 3 : 7); round++) {
    const folder = (name: string) => join(context.folder, `${name}-${round}`);
    const ofBare = await timeBare(folder("bare"), { script, recorded, count });
    const ofOne = await timeEngine(folder("one"), { script, workflows: 1, count });
    const all = { script, workflows: manyWorkflows, count: ordersOfEach };
    const ofMany = await timeEngine(folder("many"), all);
    if (round < 0) continue;
    bare.push(ofBare);
    one.push(ofOne);
    many.push(ofMany);
    context.progress(`engine: round ${round + 1}`);
  }
  const ratio = (figures: readonly number[]) =>
    median(figures.map((figure, round) => figure / (bare[round] ?? Number.NaN)));
  const shown = (metric: string, figures: readonly number[]) => ({
    metric,
    value: median(figures),
    unit: "runs/s",
    spread: spreadOf(figures),
  });
  const against = { reference: median(bare), against: "bare loop, one at a time" };
  return [
    shown("bare loop, one at a time", bare),
    {
      ...shown("engine, one workflow", one),
      ...against,
      ratio: ratio(one),
      must: { atLeast: 0.6 },
    },
    {
      ...shown(`engine, ${manyWorkflows} workflows`, many),
      ...against,
      ratio: ratio(many),
      must: { atLeast: 2.5 },
    },
  ];
}

async function timeEngine(folder: string, parts: EngineParts): Promise<number> {
  const store = await openBenchStore(folder);
  try {
    return await timeRuns(store, parts);
  } finally {
    await store.close();
  }
}

export type EngineParts = {
  readonly script: OrderScript;
  readonly workflows: number;
  /** Orders of each workflow. */
  readonly count: number;
};

/** In an empty store: orders are there before the time begins. Runs per second. */
export async function timeRuns(store: Store, parts: EngineParts): Promise<number> {
  const { script, workflows, count } = parts;
  const names = Array.from({ length: workflows }, (_, index) => `w-${index}`);
  await prepareOrders(store, names, { script, orders: count });
  const startedAt = performance.now();
  await workOff(store, "bench-2", script);
  const seconds = (performance.now() - startedAt) / 1_000;
  return (workflows * count) / seconds;
}
