import type { Fact } from "../journal/fact.ts";
import { invariant } from "../ports/invariant.ts";
import type { View } from "../view/view.ts";
import type { Timed } from "./run-facts.ts";

/** Of a command that ends a phase, or a part of one: how long the run's code has run for it. */
export type Ran = {
  /** Measured by the host; absent = not a millisecond. */
  readonly activeMs?: number;
};

/** The column of a run that a fact says something of. */
export function activeTime({ activeMs }: Timed): { activeMs?: number } {
  return activeMs === undefined ? {} : { activeMs };
}

/** Null = it says nothing of a run's time. */
function timedRun(fact: Fact): string | null {
  switch (fact.kind) {
    case "run_prepared":
    case "run_advanced":
    case "run_paused":
    case "run_failed":
    case "run_aborted":
    case "run_committed":
      return fact.runId;
    case "mutation_recorded":
      return fact.call.runId;
    default:
      return null;
  }
}

/**
 * The time of a command goes with the first fact it leads to that has a place for it. It is kept as
 * the run's total, so that nobody has to know what was before. Null = this fact has no place.
 */
export function timedFact(view: View, fact: Fact, ranMs: number): Fact | null {
  const runId = timedRun(fact);
  if (runId === null) return null;
  const { activeMs: before } = view.load("runs", runId);
  invariant(Number.isSafeInteger(ranMs) && ranMs > 0, "a run has run for whole milliseconds");
  const activeMs = Math.min(before + ranMs, Number.MAX_SAFE_INTEGER);
  return { ...fact, activeMs } as Fact;
}
