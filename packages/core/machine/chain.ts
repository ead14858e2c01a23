/** Steps of one cell that are run together, ahead of the turns they are for. */

import { canonicalize } from "./canonicalize.ts";
import type { CompiledMachine } from "./machine-set.ts";
import type { StepAnswer, StepCall } from "./step.ts";

/**
 * Calls of one cell, in order. Only the first says its state: each of the others is called with the
 * state that the one before it left, whatever its own says.
 */
export type StepChain = readonly StepCall[];

/** Of a chain that ended early there are fewer than calls, but one at least. */
export type ChainAnswer = {
  readonly answer: StepAnswer;
  /** The state as the kernel will keep it; null = there is none, or it was not asked for. */
  readonly left: Uint8Array | null;
};

/** What a cell's next step is called with if the kernel takes this answer; null = nothing is. */
export function stateLeft(machine: CompiledMachine, answer: StepAnswer): Uint8Array | null {
  if (answer.kind !== "output" || answer.output.state === null) return null;
  const state = canonicalize(machine.state, answer.output.state);
  return state.ok ? state.bytes : null;
}
