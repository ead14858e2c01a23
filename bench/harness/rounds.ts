import type { Measured, Must } from "./bench.ts";
import { median, spreadOf } from "./percentile.ts";

/** Work done and the time it took. */
export type Lap = {
  readonly count: number;
  readonly ms: number;
  /** Processor time of the process that did it; absent = this system does not tell. */
  readonly cpuMs?: number;
};

export type Contender = {
  readonly metric: string;
  readonly unit: string;
  readonly figure: "per second" | "µs each";
  /** Not timed. */
  readonly prepare?: () => Promise<void>;
  readonly measure: () => Promise<Lap> | Lap;
};

export type RoundPlan = {
  /** Rounds whose figures are thrown away: compilers and caches get warm in them. */
  readonly warmUpCount: number;
  readonly roundCount: number;
  /** Turns of every contender that make up its figure of one round. */
  readonly turnCount: number;
  readonly onRound?: (round: number, roundCount: number) => void;
};

/**
 * Contenders take short turns, in an order drawn each time: what the machine does besides hits all
 * of them alike. A round adds the turns up, so that work which comes in bursts, such as copying a
 * log, is in every figure; then the median round is taken.
 */
export async function runRounds(
  contenders: readonly Contender[],
  plan: RoundPlan,
): Promise<Rounds> {
  const figures = new Map(contenders.map(({ metric }) => [metric, [] as number[]]));
  const cpuFigures = new Map(contenders.map(({ metric }) => [metric, [] as number[]]));
  for (let round = 1 - plan.warmUpCount; round <= plan.roundCount; round += 1) {
    const laps = await runTurns(contenders, plan.turnCount);
    if (round < 1) continue;
    for (const { metric, figure } of contenders) {
      const own = laps.get(metric) ?? [];
      figures.get(metric)?.push(figureOf(figure, own));
      cpuFigures.get(metric)?.push(figureOf("µs each", own.map(cpuOf)));
    }
    plan.onRound?.(round, plan.roundCount);
  }
  return new Rounds(contenders, figures, cpuFigures);
}

function cpuOf({ count, cpuMs = Number.NaN }: Lap): Lap {
  return { count, ms: cpuMs };
}

async function runTurns(
  contenders: readonly Contender[],
  turnCount: number,
): Promise<ReadonlyMap<string, readonly Lap[]>> {
  const laps = new Map(contenders.map(({ metric }) => [metric, [] as Lap[]]));
  for (let turn = 0; turn < turnCount; turn += 1) {
    for (const contender of shuffled(contenders)) {
      await contender.prepare?.();
      laps.get(contender.metric)?.push(await contender.measure());
    }
  }
  return laps;
}

/** Nobody keeps the same neighbor, whose garbage it would collect and whose caches it would use. */
function shuffled<T>(items: readonly T[]): readonly T[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ item }) => item);
}

function figureOf(figure: Contender["figure"], laps: readonly Lap[]): number {
  const count = laps.reduce((sum, lap) => sum + lap.count, 0);
  const ms = laps.reduce((sum, lap) => sum + lap.ms, 0);
  return figure === "per second" ? (count * 1_000) / ms : (ms * 1_000) / count;
}

/** Times one piece of work that is done `count` times in it. */
export async function lap(count: number, work: () => Promise<void> | void): Promise<Lap> {
  const startedAt = performance.now();
  await work();
  return { count, ms: performance.now() - startedAt };
}

export class Rounds {
  readonly #units: ReadonlyMap<string, string>;
  readonly #figures: ReadonlyMap<string, readonly number[]>;
  readonly #cpuFigures: ReadonlyMap<string, readonly number[]>;

  constructor(
    contenders: readonly Pick<Contender, "metric" | "unit">[],
    figures: ReadonlyMap<string, readonly number[]>,
    cpuFigures: ReadonlyMap<string, readonly number[]>,
  ) {
    this.#units = new Map(contenders.map(({ metric, unit }) => [metric, unit]));
    this.#figures = figures;
    this.#cpuFigures = cpuFigures;
  }

  /** The median on its own, as information. */
  result(metric: string): Measured {
    const figures = this.#figuresOf(metric);
    const unit = this.#units.get(metric) ?? "";
    return { metric, value: median(figures), unit, spread: spreadOf(figures) };
  }

  /** Held against another contender, round by round. */
  resultAgainst(metric: string, against: string, must?: Must): Measured {
    const [own, other] = [this.#figuresOf(metric), this.#figuresOf(against)];
    const ratio = median(own.map((figure, round) => figure / (other[round] ?? Number.NaN)));
    const held = { ...this.result(metric), reference: median(other), ratio, against };
    return must === undefined ? held : { ...held, must };
  }

  /**
   * The same by processor time, which others on the machine hardly change. Empty = nobody told it.
   */
  cpuAgainst(metric: string, against: string, must?: Must): readonly Measured[] {
    const named = (name: string) => `${name}: processor time`;
    const of = [metric, against].map((name) => [named(name), this.#cpuFigures.get(name) ?? []]);
    const cpu = new Map(of as [string, number[]][]);
    if ([...cpu.values()].flat().some(Number.isNaN)) return [];
    const units = [...cpu.keys()].map((name) => ({ metric: name, unit: "µs each" }));
    const rounds = new Rounds(units, cpu, cpu);
    const [own, other] = [named(metric), named(against)];
    return [rounds.result(other), rounds.resultAgainst(own, other, must)];
  }

  #figuresOf(metric: string): readonly number[] {
    const found = this.#figures.get(metric);
    if (found === undefined) throw new Error(`nothing was measured as "${metric}"`);
    return found;
  }
}
