import type { CoreCommand, Instant, Refusal } from "@holdfast/core";
import type { LateCommand, TraceSource } from "../workflow-owner.ts";

/** What a phase came to: one change, and what comes instead if the core does not accept it. */
export type Outcome = {
  readonly commands: readonly (CoreCommand | LateCommand)[];
  /** The time the phase was shown, which is then that of its facts. */
  readonly now: Instant;
  /** What the phases did; null = no phase was run for it. */
  readonly trace: TraceSource | null;
  readonly onRefused: (refusal: Refusal) => Outcome;
};
