import { join } from "node:path";
import { type CommitAnswer, invariant } from "@holdfast/core";
import type { SqliteStore } from "@holdfast/store";
import type { BenchContext, Measured } from "../harness/bench.ts";
import { percentile } from "../harness/percentile.ts";
import { type Contender, type Lap, lap, type Rounds, runRounds } from "../harness/rounds.ts";
import { timeSyncs } from "../harness/time-syncs.ts";
import { BenchWorkflow } from "./bench-workflow.ts";
import { type HeldCommit, HeldCommits } from "./held-commits.ts";
import { openBenchStore } from "./open-bench-store.ts";

/** One change of `applied`: mutation_applied and run_advanced; mutation, evidence and run. */
const factsPerChange = 2;
const rowsPerChange = 3;
const workflowsAtOnce = 64;
/** Changes per turn: every loop commits twice. */
const workflowCount = 2 * workflowsAtOnce;
/** Together enough changes to fill SQLite's log once, so that copying it is in every figure. */
const turnCount = 4;

const metrics = {
  disk: "disk syncs, appending",
  overwriting: "disk syncs, overwriting",
  single: "single commits",
  singleDeciding: "single commits, with deciding",
  many: "64 at once",
  manyDeciding: "64 at once, with deciding",
} as const;

/** How fast changes become durable, held against what the disk under them can do. */
export async function measureCommitRates(context: BenchContext): Promise<readonly Measured[]> {
  const { folder, quick, progress } = context;
  const store = await openBenchStore(join(folder, "commits"));
  try {
    const bench = await CommitBench.create(store);
    progress(`${workflowCount} workflows made`);
    const rounds = await runRounds(bench.contenders(folder), {
      warmUpCount: 2,
      roundCount: quick ? 5 : 20,
      turnCount,
      onRound: (round, all) => progress(`commits, round ${round} of ${all}`),
    });
    return [...ratesOf(rounds), ...bench.details()];
  } finally {
    await store.close();
  }
}

function ratesOf(rounds: Rounds): Measured[] {
  const { disk, overwriting, single, singleDeciding, many, manyDeciding } = metrics;
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

class CommitBench {
  readonly #store: SqliteStore;
  readonly #held: HeldCommits;
  readonly #workflows: BenchWorkflow[] = [];
  readonly #decideUs: number[] = [];
  readonly #commitUs: number[] = [];
  readonly #groupSizes: number[] = [];

  private constructor(store: SqliteStore) {
    this.#store = store;
    this.#held = new HeldCommits(store);
  }

  static async create(store: SqliteStore): Promise<CommitBench> {
    const bench = new CommitBench(store);
    const names = Array.from({ length: workflowCount }, (_, index) => `workflow-${index}`);
    const made = names.map((name) => BenchWorkflow.create(bench.#held.store, name));
    bench.#workflows.push(...(await Promise.all(made)));
    return bench;
  }

  contenders(folder: string): readonly Contender[] {
    const prepare = () => this.#sendAll();
    const syncs = (preallocated: boolean) => () =>
      timeSyncs(folder, { syncCount: workflowCount, preallocated });
    const disk = { unit: "syncs/s", figure: "per second" } as const;
    const changes = { unit: "changes/s", figure: "per second", prepare } as const;
    return [
      { metric: metrics.disk, ...disk, measure: syncs(false) },
      { metric: metrics.single, ...changes, measure: () => this.#storeOnly(1) },
      { metric: metrics.many, ...changes, measure: () => this.#storeOnly(workflowsAtOnce) },
      { metric: metrics.singleDeciding, ...changes, measure: () => this.#deciding(1) },
      { metric: metrics.manyDeciding, ...changes, measure: () => this.#deciding(workflowsAtOnce) },
      { metric: metrics.overwriting, ...disk, measure: syncs(true) },
    ];
  }

  /** What the rounds show besides their rates. */
  details(): readonly Measured[] {
    const us = (metric: string, samples: readonly number[], share: number): Measured => {
      return { metric, value: percentile(samples, share), unit: "µs" };
    };
    const changesPerGroup = percentile(this.#groupSizes, 0.5);
    return [
      us("single commit, half are faster", this.#commitUs, 0.5),
      us("single commit, 99 of 100 are faster", this.#commitUs, 0.99),
      us("deciding and sealing one change", this.#decideUs, 0.5),
      { metric: "changes per sync, 64 at once", value: changesPerGroup, unit: "changes" },
    ];
  }

  async #sendAll(): Promise<void> {
    await Promise.all(this.#workflows.map((workflow) => workflow.sendMutation()));
  }

  /** Load from memory, decide, seal, commit, advance the view: all that an owner does. */
  async #deciding(atOnce: number): Promise<Lap> {
    return lap(workflowCount, () =>
      inLoops(this.#workflows, atOnce, (workflow) => workflow.settleApplied()),
    );
  }

  /** The same changes, decided before the clock starts. */
  async #storeOnly(atOnce: number): Promise<Lap> {
    const { held, settled } = await this.#decideAll();
    const groupsBefore = this.#store.groupCount;
    const answers: CommitAnswer[] = [];
    const timed = await lap(held.length, () =>
      inLoops(held, atOnce, async ({ change }) => {
        const from = performance.now();
        answers.push(...(await this.#store.commit([change])));
        if (atOnce === 1) this.#commitUs.push((performance.now() - from) * 1_000);
      }),
    );
    const groupCount = this.#store.groupCount - groupsBefore;
    if (atOnce > 1) this.#groupSizes.push(held.length / groupCount);
    const landed = answers.every((answer) => answer.kind === "committed");
    invariant(landed, "every change of the bench lands");
    for (const { change, answer } of held) {
      answer({ kind: "committed", head: change.expectedHead + change.records.length });
    }
    await settled;
    return timed;
  }

  async #decideAll(): Promise<{ held: readonly HeldCommit[]; settled: Promise<unknown> }> {
    this.#held.hold();
    const startedAt = performance.now();
    const settled = Promise.all(this.#workflows.map((workflow) => workflow.settleApplied()));
    // Deciding needs nothing but what is in memory, so every change is there after one turn.
    await new Promise((resolve) => setImmediate(resolve));
    this.#decideUs.push(((performance.now() - startedAt) * 1_000) / workflowCount);
    const held = this.#held.take();
    invariant(held.length === workflowCount, "every workflow decided");
    for (const { change } of held) {
      const isApplied =
        change.records.length === factsPerChange && change.rows.length === rowsPerChange;
      invariant(isApplied, "a change of `applied` is 2 facts and 3 rows");
    }
    return { held, settled };
  }
}

/** `atOnce` loops, each taking the next of its own items when its last one is done. */
async function inLoops<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const loop = async (first: number): Promise<void> => {
    for (let index = first; index < items.length; index += atOnce) {
      const item = items[index];
      if (item !== undefined) await work(item);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, (_, first) => loop(first)));
}
