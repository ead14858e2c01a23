import type { Instant } from "../view/rows.ts";

export type ProducerReset = {
  readonly kind: "producer_reset";
  readonly handler: string;
  readonly nextRunAt: Instant | null;
  readonly actor: string;
};

export type ProducersCalled = {
  readonly kind: "producers_called";
  readonly handlers: readonly string[];
  readonly nextRunAt: Instant;
  readonly actor: string;
};

/** A firing that a producer with `catchUp: "skip"` let pass. */
export type FiringSkipped = {
  readonly kind: "firing_skipped";
  readonly handler: string;
  readonly dueAt: Instant;
  readonly nextRunAt: Instant | null;
};

export type ScheduleFact = ProducerReset | ProducersCalled | FiringSkipped;
