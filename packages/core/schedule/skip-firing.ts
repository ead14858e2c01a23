import { type Rule, refuse } from "../journal/decision.ts";
import type { Instant } from "../view/rows.ts";

export type SkipFiring = {
  readonly kind: "skip_firing";
  readonly handler: string;
  readonly dueAt: Instant;
  readonly nextRunAt: Instant | null;
};

/** Only a producer that declared it may let a missed firing pass, and each one is on record. */
export const skipFiring: Rule<SkipFiring> = (draft, { handler: name, dueAt, nextRunAt }) => {
  const handler = draft.view.find("handlers", name);
  if (!handler) return refuse("handler_not_found");
  if (handler.kind !== "producer") return refuse("handler_not_producer");
  if (handler.catchUp !== "skip") {
    return refuse("firing_must_be_caught_up", `${name} catches up on missed firings.`);
  }
  if (handler.nextRunAt !== dueAt || dueAt > draft.now) return refuse("run_is_due_later");
  draft.emit({ kind: "firing_skipped", handler: name, dueAt, nextRunAt });
  return null;
};
