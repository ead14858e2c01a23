import { type Rule, refuse } from "../journal/decision.ts";
import { abortRun, whyNotAbortable } from "../run/abort-run.ts";

export type SkipEvent = {
  readonly kind: "skip_event";
  readonly topic: string;
  readonly messageId: string;
  readonly actor: string;
};

/** A held event is taken from its run only while nothing can have reached the outside. */
export const skipEvent: Rule<SkipEvent> = (draft, { topic, messageId, actor }) => {
  const event = draft.view.find("events", topic, messageId);
  if (!event) return refuse("event_not_found");
  if (event.status === "consumed") return refuse("event_already_consumed");
  if (event.status === "skipped") return refuse("event_already_skipped");
  if (event.reservedBy !== null) {
    const run = draft.view.load("runs", event.reservedBy);
    const bad = whyNotAbortable(draft.view, run);
    if (bad) return refuse("event_behind_mutation", bad.note);
    abortRun(draft, run, { actor, note: `${actor} skipped ${topic} ${messageId}` });
  }
  draft.emit({ kind: "event_skipped", topic, messageId, actor });
  return null;
};
