import { closeStaleQuestion } from "../attention/note-stale.ts";
import { type Draft, type Rule, refuse } from "../journal/decision.ts";
import { abortRun, whyNotAbortable } from "../run/abort-run.ts";
import { findOpenRun } from "../run/find-runs.ts";
import type { DeliveryRow, EventRow } from "../view/rows.ts";
import { deliveryOfInput, eventsOfInput } from "./events-of-input.ts";

export type SkipInput = {
  readonly kind: "skip_input";
  readonly inputId: string;
  readonly actor: string;
};

/**
 * Pending events are skipped. A run that holds some is aborted and lets go of its whole
 * reservation, unless its outside change may have happened: then it completes. What is done stays
 * done. The note counts each, so that a partial skip is never mistaken for a whole one.
 */
export const skipInput: Rule<SkipInput> = (draft, { inputId, actor }) => {
  const input = draft.view.find("inputs", inputId);
  if (!input) return refuse("input_not_found");
  if (input.skippedAt !== null) return refuse("input_already_skipped");
  const kept = releaseHeld(draft, inputId, actor);
  const pending = eventsOfInput(draft.view, inputId).filter((e) => e.status === "pending");
  const done = eventsOfInput(draft.view, inputId).filter((e) => e.status === "consumed");
  const delivery = deliveryOfInput(draft.view, inputId);
  const waits = pending.length > 0 || delivery?.status === "waiting";
  const looked = done.length + kept.length > 0 || delivery?.status === "taken";
  if (!waits && looked) return refuse("input_not_skippable");
  draft.emit({ kind: "input_skipped", inputId, actor });
  closeStaleQuestion(draft, inputId, { actor, answer: "skip" });
  if (delivery?.status === "waiting") skipDelivery(draft, delivery, actor);
  for (const { topic, messageId } of pending) {
    draft.emit({ kind: "event_skipped", topic, messageId, actor });
  }
  draft.note =
    `${pending.length} skipped, ${done.length} done already, ` +
    `${kept.length} being finished because their outside change may have happened`;
  return null;
};

function skipDelivery(draft: Draft, { inputId, handler }: DeliveryRow, actor: string): void {
  const waitingCount = draft.view.load("handlers", handler).waitingCount - 1;
  draft.emit({ kind: "delivery_skipped", inputId, handler, waitingCount, actor });
  giveUpFailed(draft, handler, `${actor} skipped input ${inputId}`, actor);
}

/**
 * A producer's run that failed may have done so over what is skipped now. What it was given is
 * given to a new run without that, and if that fails as well, it asks anew.
 */
function giveUpFailed(draft: Draft, handler: string, note: string, actor: string): void {
  const run = findOpenRun(draft.view);
  if (run?.handler !== handler || !run.status.startsWith("failed:")) return;
  abortRun(draft, run, { actor, note });
}

/** Aborts the run behind held events where that is still possible; returns what stays held. */
function releaseHeld(draft: Draft, inputId: string, actor: string): EventRow[] {
  const held = eventsOfInput(draft.view, inputId).filter((e) => e.reservedBy !== null);
  const runId = held[0]?.reservedBy;
  if (!runId) return [];
  const run = draft.view.load("runs", runId);
  if (whyNotAbortable(draft.view, run)) return held;
  abortRun(draft, run, { actor, note: `${actor} skipped input ${inputId}` });
  return [];
}
