import { type Draft, type Rule, refuse } from "../journal/decision.ts";
import type { Refusal } from "../journal/refusal.ts";
import type { EventRow } from "../view/rows.ts";

export type ReprocessEvent = {
  readonly kind: "reprocess_event";
  readonly topic: string;
  readonly messageId: string;
  readonly actor: string;
};

/** A new attempt: it never dedupes against an older one, and the older one stays on record. */
export const reprocessEvent: Rule<ReprocessEvent> = (draft, { topic, messageId, actor }) => {
  const event = draft.view.find("events", topic, messageId);
  if (!event) return refuse("event_not_found");
  return whyNotReprocessable(draft, event) ?? reprocess(draft, event, actor);
};

export function whyNotReprocessable(draft: Draft, event: EventRow): Refusal | null {
  if (event.status === "pending") return refuse("event_is_pending");
  if (event.reservedBy !== null) {
    return refuse("event_is_reserved", `Run ${event.reservedBy} holds the event.`);
  }
  const topic = draft.view.load("topics", event.topic);
  if (!topic.declared || topic.observed) {
    return refuse("topic_not_declared", `Nobody works off topic ${event.topic} now.`);
  }
  return null;
}

export function reprocess(draft: Draft, event: EventRow, actor: string): null {
  const { topic, messageId, attempt } = event;
  draft.emit({ kind: "event_reprocessed", topic, messageId, attempt: attempt + 1, actor });
  return null;
}
