import { join } from "node:path";
import { invariant, type Store } from "@holdfast/core";
import type { BenchContext, Measured } from "../harness/bench.ts";
import { median, spreadOf } from "../harness/percentile.ts";
import { openBenchStoreNow } from "../store/open-bench-store.ts";
import { fillOrders } from "./filled-orders.ts";
import { type OrderScript, workOff } from "./order-workflow.ts";

const [few, many, manyQuick] = [1_000, 1_000_000, 50_000] as const;
const [rounds, roundsQuick, runsPerTurn] = [9, 5, 50] as const;

/** Runs that take one order each, in a topic with few orders and in one with very many. */
export async function measureTopicGrowth(
  { folder, quick, progress }: BenchContext,
  script: OrderScript,
): Promise<readonly Measured[]> {
  const count = quick ? manyQuick : many;
  const small = await openFilled(join(folder, "few"), { script, count: few, progress });
  const large = await openFilled(join(folder, "many-orders"), { script, count, progress });
  const [ofFew, ofMany]: [number[], number[]] = [[], []];
  for (let round = 0; round <= (quick ? roundsQuick : rounds); round++) {
    const rates = [await timeTurn(small, script), await timeTurn(large, script)] as const;
    // The first warms up.
    if (round === 0) continue;
    ofFew.push(rates[0]);
    ofMany.push(rates[1]);
  }
  await small.close();
  await large.close();
  progress(`runs in a topic of ${count} orders`);
  const metric = (events: number) => `engine, one workflow, ${events} events in its topic`;
  const ratios = ofMany.map((rate, round) => rate / (ofFew[round] ?? Number.NaN));
  return [
    { metric: metric(few), value: median(ofFew), unit: "runs/s", spread: spreadOf(ofFew) },
    {
      metric: metric(count),
      value: median(ofMany),
      unit: "runs/s",
      spread: spreadOf(ofMany),
      reference: median(ofFew),
      against: metric(few),
      ratio: median(ratios),
      must: { atLeast: 0.9 },
    },
  ];
}

async function openFilled(
  folder: string,
  parts: {
    readonly script: OrderScript;
    readonly count: number;
    readonly progress: (text: string) => void;
  },
) {
  const store = await openBenchStoreNow(folder);
  await fillOrders(store, parts.script, parts);
  return store;
}

let turns = 0;

async function timeTurn(store: Store, script: OrderScript): Promise<number> {
  turns += 1;
  const startedAt = performance.now();
  const runs = await workOff(store, `bench-turn-${turns}`, script, runsPerTurn);
  invariant(runs === runsPerTurn, `there is an order for each run, but only ${runs} were`);
  return (runs * 1_000) / (performance.now() - startedAt);
}
