import type { Divergence } from "@holdfast/core/machine";

/** The journal does not lead to where it says it does: nothing of it may go on. */
export class MachinesDiverge extends Error {
  override readonly name = "MachinesDiverge";
  readonly divergence: Divergence;

  constructor(divergence: Divergence) {
    super(`The machines' journal cannot be run again: ${divergence.code} at ${divergence.seq}`);
    this.divergence = divergence;
  }
}
