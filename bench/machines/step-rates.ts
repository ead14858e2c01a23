import { join } from "node:path";
import type { BenchContext, Measured } from "../harness/bench.ts";
import { BareStep } from "./bare-step.ts";
import { type CountingScript, MachineWorld } from "./machine-world.ts";
import { costOf, StepCosts } from "./step-cost.ts";

const bare = "bare step, in its isolate";

type Contender = {
  readonly metric: string;
  readonly machine: string;
  readonly count: number;
  readonly isKeyed: boolean;
};

function contendersOf(quick: boolean): readonly Contender[] {
  const [many, few] = quick ? [2_000, 100] : [10_000, 300];
  return [
    { metric: "one hot machine", machine: "hot", count: many, isKeyed: false },
    { metric: `${many} cells`, machine: "cells", count: many, isKeyed: true },
    { metric: "round trips of reads", machine: "looks", count: many, isKeyed: true },
    { metric: "round trips through the ledger", machine: "books", count: few, isKeyed: true },
  ];
}

/** Compilers get warm in these: here, in the thread of the steps and in those of a replay. */
const warmRounds = 2;
const warmReplays = 4;

/** Events that wait are worked off by a whole host; then the journal is run again. */
export async function measureSteps(
  context: BenchContext,
  script: CountingScript,
): Promise<readonly Measured[]> {
  const step = await BareStep.open(script);
  const contenders = contendersOf(context.quick);
  const costs = new StepCosts();
  for (let round = 1 - warmRounds; round <= (context.quick ? 2 : 5); round++) {
    for (const contender of contenders) {
      const folder = join(context.folder, `${contender.machine}-${round}`);
      const world = await filled(folder, script, contender);
      if (round > 0) await measure(costs, { contender, world, step });
      else await warmUp(world, step);
      await world.close();
      const said = round > 0 ? `round ${round}` : "a round that does not count";
      context.progress(`machines: ${said}, ${contender.metric}`);
    }
  }
  return resultsOf(costs, contenders);
}

type Turn = {
  readonly contender: Contender;
  readonly world: MachineWorld;
  readonly step: BareStep;
};

async function measure(costs: StepCosts, { contender, world, step }: Turn): Promise<void> {
  const { metric, count } = contender;
  costs.add(bareOf(metric), await step.run(3_000));
  costs.add(metric, await costOf(count, () => world.work()));
  costs.add(replayOf(metric), await costOf(count, () => world.replay()));
}

async function warmUp(world: MachineWorld, step: BareStep): Promise<void> {
  await step.run(3_000);
  await world.work();
  for (let again = 0; again < warmReplays; again++) await world.replay();
}

function bareOf(metric: string): string {
  return `${bare}, beside ${metric}`;
}

function replayOf(metric: string): string {
  return `replay of ${metric}`;
}

function resultsOf(costs: StepCosts, contenders: readonly Contender[]): readonly Measured[] {
  const bars: Readonly<Record<string, number>> = { hot: 0.5, cells: 0.5, looks: 0.15 };
  return contenders.flatMap(({ metric, machine }) => {
    const unit = machine === "hot" || machine === "cells" ? "steps/s" : "round trips/s";
    const atLeast = bars[machine];
    const must = atLeast === undefined ? {} : { must: { atLeast } };
    return [
      costs.rate(bareOf(metric), "steps/s"),
      costs.rate(metric, unit, { against: bareOf(metric), ...must }),
      costs.cpu(metric, bareOf(metric)),
      costs.rate(replayOf(metric), unit, { against: metric, must: { atLeast: 1.5 } }),
      costs.cpu(replayOf(metric), metric),
    ];
  });
}

async function filled(folder: string, script: CountingScript, contender: Contender) {
  const world = await MachineWorld.open(folder, script);
  const { machine, count, isKeyed } = contender;
  await world.fill(
    machine,
    Array.from({ length: count }, (_, at) => (isKeyed ? `cell-${at}` : null)),
  );
  return world;
}
