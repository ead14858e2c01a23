import { join } from "node:path";
import { invariant, type Store } from "@holdfast/core";
import type { SqliteStore } from "@holdfast/store";
import type { BenchContext, Measured } from "../harness/bench.ts";
import { type Contender, lap, runRounds } from "../harness/rounds.ts";
import { openBenchStoreNow } from "../store/open-bench-store.ts";
import { fillOrders } from "./filled-orders.ts";
import { type OrderScript, workOff } from "./order-workflow.ts";

const [few, many, manyQuick] = [1_000, 1_000_000, 50_000] as const;
/** All turns together must not use up the few. */
const plan = { warmUpCount: 2, roundCount: 10, turnCount: 4 } as const;
const runsPerTurn = 20;

/** Runs that take one order each, in a topic with few orders and in one with very many. */
export async function measureTopicGrowth(
  context: BenchContext,
  script: OrderScript,
): Promise<readonly Measured[]> {
  const { quick, progress } = context;
  const count = quick ? manyQuick : many;
  const metric = (events: number) => `engine, one workflow, ${events} events in its topic`;
  const small = await openFilled(context, script, few);
  const large = await openFilled(context, script, count);
  const rounds = await runRounds(
    [contender(metric(few), small, script), contender(metric(count), large, script)],
    plan,
  );
  await small.close();
  await large.close();
  progress(`runs in a topic of ${count} orders`);
  return [
    rounds.result(metric(few)),
    rounds.resultAgainst(metric(count), metric(few), { atLeast: 0.9 }),
  ];
}

async function openFilled(
  { folder, progress }: BenchContext,
  script: OrderScript,
  count: number,
): Promise<SqliteStore> {
  const store = await openBenchStoreNow(join(folder, `orders-${count}`));
  await fillOrders(store, script, { count, progress });
  return store;
}

function contender(metric: string, store: Store, script: OrderScript): Contender {
  let turns = 0;
  const measure = () =>
    lap(runsPerTurn, async () => {
      turns += 1;
      const runs = await workOff(store, `bench-turn-${turns}`, script, runsPerTurn);
      invariant(runs === runsPerTurn, `there is an order for each run, but only ${runs} were`);
    });
  return { metric, unit: "runs/s", figure: "per second", measure };
}
