import { type Rule, refuse } from "../journal/decision.ts";
import type { Instant } from "../view/rows.ts";

export type SkipFiring = {
  readonly kind: "skip_firing";
  readonly handler: string;
  readonly dueAt: Instant;
  /** Firings from `dueAt` on that this is about; the next one after them is `nextRunAt`. */
  readonly firingCount: number;
  readonly nextRunAt: Instant | null;
};

/** Only a handler that declared it may let a missed firing pass, and each one is on record. */
export const skipFiring: Rule<SkipFiring> = (draft, command) => {
  const { handler: name, dueAt, firingCount, nextRunAt } = command;
  const handler = draft.view.find("handlers", name);
  if (!handler) return refuse("handler_not_found");
  if (handler.kind === "consumer") return refuse("handler_not_producer");
  if (handler.catchUp !== "skip") {
    return refuse("firing_must_be_caught_up", `${name} catches up on missed firings.`);
  }
  if (handler.nextRunAt !== dueAt || dueAt > draft.now) return refuse("run_is_due_later");
  const isLate = draft.now - dueAt > draft.view.policy.firingLateMsMax;
  const isOvertaken = nextRunAt !== null && nextRunAt <= draft.now;
  const movesOn = nextRunAt === null || nextRunAt > dueAt;
  if ((!isLate && !isOvertaken) || !movesOn || firingCount < 1) return refuse("firing_not_missed");
  draft.emit({ kind: "firing_skipped", handler: name, dueAt, firingCount, nextRunAt });
  return null;
};
