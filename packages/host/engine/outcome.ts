import type { CoreCommand, Instant, Refusal } from "@holdfast/core";
import type { LateCommand } from "../workflow-owner.ts";

/** What a phase came to: one change, and what comes instead if the core does not accept it. */
export type Outcome = {
  readonly commands: readonly (CoreCommand | LateCommand)[];
  /** The time the phase was shown, which is then that of its facts. */
  readonly now: Instant;
  readonly onRefused: (refusal: Refusal) => Outcome;
};
