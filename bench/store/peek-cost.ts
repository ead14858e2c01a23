import { join } from "node:path";
import type { BenchContext, Measured } from "../harness/bench.ts";
import { type Contender, type Lap, lap, runRounds } from "../harness/rounds.ts";
import { eventsPerBatchMax } from "./bench-workflow.ts";
import {
  consumeOldest,
  type Filled,
  fillTopic,
  peekAtRest,
  peekInUse,
  topicWorkflow,
} from "./filled-topic.ts";
import { measureRestart } from "./measure-restart.ts";
import { openBenchStore } from "./open-bench-store.ts";

const fewEvents = 1_000;
const manyEvents = 1_000_000;
const manyEventsQuick = 100_000;
/** The bar is "the same, give or take a fifth". */
const same = { atLeast: 0.8, atMost: 1.2 };

/**
 * `peek` in a short and in a long topic, with everything pending, with almost everything consumed,
 * and while a consumer takes events and a producer adds new ones.
 */
export async function measurePeekCost(context: BenchContext): Promise<readonly Measured[]> {
  const few = await openTopic(join(context.folder, "few"));
  const many = await openTopic(join(context.folder, "many"));
  try {
    await few.orders.publish(fewEvents);
    return await measureTopics(context, few, many);
  } finally {
    await few.store.close();
    await many.store.close();
  }
}

async function measureTopics(
  context: BenchContext,
  few: Filled,
  many: Filled,
): Promise<readonly Measured[]> {
  const { quick, progress } = context;
  const all = quick ? manyEventsQuick : manyEvents;
  const report = new FillReport(progress);
  await report.fill("published", manyEventsQuick, (count) => many.orders.publish(count));
  const restart = await measureRestart(context, join(context.folder, "many"), topicWorkflow);
  const rest = all - manyEventsQuick;
  await report.fill("published", rest, (count) => many.orders.publish(count));
  const pending = await comparePeeks(context, `all ${shown(all)} pending`, few, many);
  await report.fill("consumed", all - fewEvents, (count) => consumeOldest(many, count));
  const consumed = await comparePeeks(context, `${shown(all)}, all but 1,000 consumed`, few, many);
  return [...pending, ...consumed, ...report.results(), ...restart];
}

async function openTopic(folder: string): Promise<Filled> {
  return fillTopic(await openBenchStore(folder));
}

/** At rest and in use one after the other: a run between two peeks would leave its garbage. */
async function comparePeeks(
  { quick, progress }: BenchContext,
  what: string,
  few: Filled,
  many: Filled,
): Promise<Measured[]> {
  const plan = { warmUpCount: 1, roundCount: quick ? 5 : 15, turnCount: 5 };
  const compare = async (when: string, peek: (topic: Filled) => Promise<Lap>) => {
    const [short, long] = [`peek of 100, 1,000 pending${when}`, `peek of 100, ${what}${when}`];
    const contender = (metric: string, filled: Filled): Contender => {
      return { metric, unit: "µs", figure: "µs each", measure: () => peek(filled) };
    };
    const rounds = await runRounds([contender(short, few), contender(long, many)], plan);
    return rounds.resultAgainst(long, short, same);
  };
  const results = [await compare("", peekAtRest), await compare(", while consumed", peekInUse)];
  progress(`peeked with ${what}`);
  return results;
}

/** Does the same to many events in batches, and keeps how long it took. */
class FillReport {
  readonly #progress: (text: string) => void;
  readonly #laps = new Map<string, { count: number; ms: number }>();

  constructor(progress: (text: string) => void) {
    this.#progress = progress;
  }

  async fill(what: string, count: number, work: (count: number) => Promise<void>): Promise<void> {
    const sum = this.#laps.get(what) ?? { count: 0, ms: 0 };
    this.#laps.set(what, sum);
    for (let left = count; left > 0; left -= eventsPerBatchMax) {
      const batch = Math.min(left, eventsPerBatchMax);
      const { ms } = await lap(batch, () => work(batch));
      sum.count += batch;
      sum.ms += ms;
      if (sum.count % manyEventsQuick === 0) this.#progress(`${shown(sum.count)} events ${what}`);
    }
  }

  results(): Measured[] {
    return [...this.#laps].map(([what, { count, ms }]) => {
      const value = (count * 1_000) / ms;
      return { metric: `events ${what}, 1,000 per run`, value, unit: "events/s" };
    });
  }
}

function shown(count: number): string {
  return count.toLocaleString("en-US");
}
