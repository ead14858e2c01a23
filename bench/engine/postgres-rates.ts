import type { BenchContext, Measured } from "../harness/bench.ts";
import { median, spreadOf } from "../harness/percentile.ts";
import { BenchServer, openBenchPostgres } from "../store/postgres/bench-server.ts";
import type { OrderScript } from "./order-workflow.ts";
import { type EngineParts, timeRuns } from "./run-rates.ts";

const manyWorkflows = 64;

/** The same runs on a PostgreSQL server, one workflow beside many. */
export async function measurePostgresRates(
  context: BenchContext,
  script: OrderScript,
): Promise<readonly Measured[]> {
  const server = await BenchServer.open(context);
  const [one, many]: [number[], number[]] = [[], []];
  try {
    for (let round = 0; round < (context.quick ? 3 : 7); round++) {
      one.push(await timeOn(server, { script, workflows: 1, count: 100 }));
      many.push(await timeOn(server, { script, workflows: manyWorkflows, count: 10 }));
      context.progress(`engine on PostgreSQL: round ${round + 1}`);
    }
  } finally {
    await server.close();
  }
  const metric = "engine, one workflow";
  const ratios = many.map((rate, round) => rate / (one[round] ?? Number.NaN));
  return [
    { metric, value: median(one), unit: "runs/s", spread: spreadOf(one) },
    {
      metric: `engine, ${manyWorkflows} workflows`,
      value: median(many),
      unit: "runs/s",
      spread: spreadOf(many),
      reference: median(one),
      against: metric,
      ratio: median(ratios),
      must: { atLeast: 4 },
    },
  ];
}

async function timeOn(server: BenchServer, parts: EngineParts): Promise<number> {
  const store = await openBenchPostgres(await server.openDatabase());
  try {
    return await timeRuns(store, parts);
  } finally {
    await store.close();
  }
}
