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
  readonly actor: string;
};

/** Firings that a handler with `catchUp: "skip"` let pass: one, unless very many were missed. */
export type FiringSkipped = {
  readonly kind: "firing_skipped";
  readonly handler: string;
  readonly dueAt: Instant;
  readonly firingCount: number;
  readonly nextRunAt: Instant | null;
};

export type ScheduleFact = ProducerReset | ProducersCalled | FiringSkipped;
