import { HostError } from "@holdfast/core";
import { type Divergence, StateFault } from "@holdfast/core/machine";

/** The journal does not lead to where it says it does: nothing of it may go on. */
export class MachinesDiverge extends Error {
  override readonly name = "MachinesDiverge";
  readonly divergence: Divergence;

  constructor(divergence: Divergence) {
    super(`The machines' journal cannot be run again: ${divergence.code} at ${divergence.seq}`);
    this.divergence = divergence;
  }
}

/**
 * Null where the machines cannot be opened for a reason that their owner says itself: the journal,
 * a state, the code of a version, the store. Anything else is a fault of ours, and is thrown.
 */
export function nullIfUnopened(error: unknown): null {
  const errors = [MachinesDiverge, StateFault, HostError];
  if (errors.some((each) => error instanceof each)) return null;
  throw error;
}
