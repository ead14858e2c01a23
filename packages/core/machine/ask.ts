import type { Load, Loaded } from "./state/load.ts";
import type { StepAnswer, StepCall } from "./step.ts";

/** All that a kernel asks of whoever drives it: a step to be run, or bytes it does not hold. */
export type Ask = StepCall | Load;
export type Answer = StepAnswer | Loaded;

/** Runs until it needs something, and goes on with the answer. */
export type Asking<T> = Generator<Ask, T, Answer>;
/** One that asks for bytes alone. */
export type Loading<T> = Generator<Load, T, Answer>;

export function isLoad(ask: Ask): ask is Load {
  return "hashes" in ask;
}
