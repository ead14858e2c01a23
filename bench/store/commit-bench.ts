import { type CommitAnswer, invariant, type Store } from "@holdfast/core";
import type { Measured } from "../harness/bench.ts";
import { percentile } from "../harness/percentile.ts";
import { type Contender, type Lap, lap } from "../harness/rounds.ts";
import { BenchWorkflow } from "./bench-workflow.ts";
import { type HeldCommit, HeldCommits } from "./held-commits.ts";
import { inLoops } from "./in-loops.ts";

/** One change of `applied`: mutation_applied and run_advanced; mutation, evidence and run. */
const factsPerChange = 2;
const rowsPerChange = 3;
const workflowsAtOnce = 64;
/** Changes per turn: every loop commits twice. */
export const workflowCount = 2 * workflowsAtOnce;

export const commitMetrics = {
  single: "single commits",
  singleDeciding: "single commits, with deciding",
  many: "64 at once",
  manyDeciding: "64 at once, with deciding",
} as const;

/** A store that says how many transactions, and so syncs, its changes took. */
export type GroupingStore = Store & { readonly groupCount: number };

/** Commits the same kind of change again and again, one by one and 64 at once. */
export class CommitBench {
  readonly #store: GroupingStore;
  readonly #held: HeldCommits;
  readonly #workflows: BenchWorkflow[] = [];
  readonly #decideUs: number[] = [];
  readonly #commitUs: number[] = [];
  readonly #groupSizes: number[] = [];

  private constructor(store: GroupingStore) {
    this.#store = store;
    this.#held = new HeldCommits(store);
  }

  static async create(store: GroupingStore): Promise<CommitBench> {
    const bench = new CommitBench(store);
    const names = Array.from({ length: workflowCount }, (_, index) => `workflow-${index}`);
    const made = names.map((name) => BenchWorkflow.create(bench.#held.store, name));
    bench.#workflows.push(...(await Promise.all(made)));
    return bench;
  }

  contenders(): readonly Contender[] {
    const prepare = () => this.#sendAll();
    const changes = { unit: "changes/s", figure: "per second", prepare } as const;
    const { single, singleDeciding, many, manyDeciding } = commitMetrics;
    return [
      { metric: single, ...changes, measure: () => this.#storeOnly(1) },
      { metric: many, ...changes, measure: () => this.#storeOnly(workflowsAtOnce) },
      { metric: singleDeciding, ...changes, measure: () => this.#deciding(1) },
      { metric: manyDeciding, ...changes, measure: () => this.#deciding(workflowsAtOnce) },
    ];
  }

  /** What the rounds show besides their rates. `group`: what changes that come together share. */
  details(group: "sync" | "transaction"): readonly Measured[] {
    const us = (metric: string, samples: readonly number[], share: number): Measured => {
      return { metric, value: percentile(samples, share), unit: "µs" };
    };
    const changesPerGroup = percentile(this.#groupSizes, 0.5);
    return [
      us("single commit, half are faster", this.#commitUs, 0.5),
      us("single commit, 99 of 100 are faster", this.#commitUs, 0.99),
      us("deciding and sealing one change", this.#decideUs, 0.5),
      { metric: `changes per ${group}, 64 at once`, value: changesPerGroup, unit: "changes" },
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
