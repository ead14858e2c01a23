import type { Load, Loaded } from "./state/load.ts";
import type { StepAnswer } from "./step.ts";

/** What a kernel is answered: what a step said, or bytes that it does not hold itself. */
export type Answer = StepAnswer | Loaded;

/** Runs until it needs bytes, and goes on with them. */
export type Loading<T> = Generator<Load, T, Answer>;
