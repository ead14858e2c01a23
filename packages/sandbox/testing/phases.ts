import type { PhaseCall } from "../run/phase.ts";
import type { CallAnswer, RunOptions } from "../run/phase-run.ts";

/** Code as the compiler would make it, from the text of a definition. */
export function scriptOf(definition: string): string {
  return `"use strict"; var script = (() => ({ default: ${definition} }))(); script.default`;
}

/** One connection with an operation of every kind, and one topic. */
export const somePhase: Omit<PhaseCall, "phase" | "handler"> = {
  given: {},
  connections: {
    shop: {
      listOrders: "read:list",
      getOrder: "read:byId",
      findOrder: "read:byKey",
      bookOrder: "mutation",
      rateOrder: "metered",
    },
  },
  subscribe: ["orders"],
  publishes: ["orders"],
  mutateReads: "none",
  now: 1_700_000_000_000,
  seed: "seed",
};

export function answering(value: unknown): RunOptions {
  const answer: CallAnswer = { kind: "value", value: JSON.stringify(value) };
  return { perform: async () => answer };
}
