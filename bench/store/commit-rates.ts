import { join } from "node:path";
import type { BenchContext, Measured } from "../harness/bench.ts";
import { type Contender, type Rounds, runRounds } from "../harness/rounds.ts";
import { timeSyncs } from "../harness/time-syncs.ts";
import { CommitBench, commitMetrics, workflowCount } from "./commit-bench.ts";
import { openBenchStore } from "./open-bench-store.ts";

/** Together enough changes to fill SQLite's log once, so that copying it is in every figure. */
const turnCount = 4;

const diskMetrics = {
  disk: "disk syncs, appending",
  overwriting: "disk syncs, overwriting",
} as const;

/** How fast changes become durable, held against what the disk under them can do. */
export async function measureCommitRates(context: BenchContext): Promise<readonly Measured[]> {
  const { folder, quick, progress } = context;
  const store = await openBenchStore(join(folder, "commits"));
  try {
    const bench = await CommitBench.create(store);
    progress(`${workflowCount} workflows made`);
    const rounds = await runRounds([...bench.contenders(), ...diskContenders(folder)], {
      warmUpCount: 2,
      roundCount: quick ? 5 : 20,
      turnCount,
      onRound: (round, all) => progress(`commits, round ${round} of ${all}`),
    });
    return [...ratesOf(rounds), ...bench.details("sync")];
  } finally {
    await store.close();
  }
}

function ratesOf(rounds: Rounds): Measured[] {
  const { disk, overwriting } = diskMetrics;
  const { single, singleDeciding, many, manyDeciding } = commitMetrics;
  return [
    rounds.result(disk),
    rounds.result(overwriting),
    rounds.resultAgainst(single, disk, { atLeast: 0.4 }),
    { ...rounds.resultAgainst(single, overwriting), metric: `${single}, of overwriting` },
    rounds.resultAgainst(singleDeciding, disk),
    rounds.resultAgainst(many, single, { atLeast: 3 }),
    rounds.resultAgainst(manyDeciding, singleDeciding),
  ];
}

function diskContenders(folder: string): readonly Contender[] {
  const syncs = (preallocated: boolean) => () =>
    timeSyncs(folder, { syncCount: workflowCount, preallocated });
  const disk = { unit: "syncs/s", figure: "per second" } as const;
  return [
    { metric: diskMetrics.disk, ...disk, measure: syncs(false) },
    { metric: diskMetrics.overwriting, ...disk, measure: syncs(true) },
  ];
}
