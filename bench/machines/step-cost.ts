import type { Measured, Must } from "../harness/bench.ts";
import { median, spreadOf } from "../harness/percentile.ts";

/** What a piece of work took: by the clock, and of all processors together. */
export type Cost = { readonly perSecond: number; readonly cpuMicros: number };

export async function costOf(count: number, work: () => Promise<unknown>): Promise<Cost> {
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  await work();
  const seconds = (performance.now() - startedAt) / 1_000;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { perSecond: count / seconds, cpuMicros: (user + system) / count };
}

/** Rounds of several contenders, each held against one of them in its own round. */
export class StepCosts {
  readonly #costs = new Map<string, Cost[]>();

  add(metric: string, cost: Cost): void {
    const known = this.#costs.get(metric) ?? [];
    known.push(cost);
    this.#costs.set(metric, known);
  }

  /** By the clock; what is asked of it is asked of the rounds' own ratios. */
  rate(metric: string, unit: string, held?: { against: string; must?: Must }): Measured {
    const own = this.#of(metric).map(({ perSecond }) => perSecond);
    const shown = { metric, value: median(own), unit, spread: spreadOf(own) };
    if (held === undefined) return shown;
    const other = this.#of(held.against).map(({ perSecond }) => perSecond);
    return { ...shown, ...ratioOf(own, other), ...held };
  }

  /** As information: on a machine that others use as well the clock says little. */
  cpu(metric: string, against: string): Measured {
    const own = this.#of(metric).map(({ cpuMicros }) => cpuMicros);
    const other = this.#of(against).map(({ cpuMicros }) => cpuMicros);
    const shown = { metric: `${metric}, processor time`, value: median(own), unit: "µs" };
    return { ...shown, spread: spreadOf(own), against, ...ratioOf(own, other) };
  }

  #of(metric: string): readonly Cost[] {
    return this.#costs.get(metric) ?? [];
  }
}

function ratioOf(own: readonly number[], other: readonly number[]) {
  const ratio = median(own.map((each, round) => each / (other[round] ?? Number.NaN)));
  return { reference: median(other), ratio };
}
