import { withConnection } from "@holdfast/store/testing/postgres";
import type { BenchContext, Measured } from "../../harness/bench.ts";
import { type Rounds, runRounds } from "../../harness/rounds.ts";
import { CommitBench, commitMetrics, workflowCount } from "../commit-bench.ts";
import { bareInserts, bareMetrics } from "./bare-statements.ts";
import { type BenchServer, openBenchPostgres } from "./bench-server.ts";

/** How fast changes become durable, held against what one connection of the server can do. */
export async function measurePostgresCommits(
  { quick, progress }: BenchContext,
  server: BenchServer,
): Promise<readonly Measured[]> {
  const url = await server.openDatabase();
  const store = await openBenchPostgres(url);
  try {
    const bench = await CommitBench.create(store);
    progress(`${workflowCount} workflows made`);
    return await withConnection(url, async (client) => {
      const rounds = await runRounds([...bench.contenders(), await bareInserts(client)], {
        warmUpCount: quick ? 1 : 2,
        roundCount: quick ? 5 : 20,
        turnCount: quick ? 1 : 2,
        onRound: (round, all) => progress(`commits, round ${round} of ${all}`),
      });
      return [...ratesOf(rounds), ...bench.details("transaction")];
    });
  } finally {
    await store.close();
  }
}

function ratesOf(rounds: Rounds): Measured[] {
  const { single, singleDeciding, many, manyDeciding } = commitMetrics;
  const { insert } = bareMetrics;
  return [
    rounds.result(insert),
    rounds.resultAgainst(single, insert),
    rounds.resultAgainst(singleDeciding, insert),
    rounds.resultAgainst(many, single, { atLeast: 10 }),
    { ...rounds.resultAgainst(many, insert), metric: `${many}, of bare inserts` },
    rounds.resultAgainst(manyDeciding, singleDeciding),
  ];
}
