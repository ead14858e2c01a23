import { callsOfUses } from "../frame/event-uses.ts";
import {
  deliveryOfInput,
  eventsOfInput,
  inputStatus,
  isStaleInput,
} from "../topic/events-of-input.ts";
import type { EventRow } from "../view/rows.ts";
import type { View } from "../view/view.ts";
import { type Chain, done, type Question, waiting } from "./chain.ts";
import { chainOfDelivery } from "./explain-delivery.ts";
import { chainOfEvent } from "./explain-event.ts";
import type { Explanation, InputExplanation } from "./explanation.ts";

/** An input is where its events are; one that is stuck or moves speaks before those that wait. */
export function explainInput(question: Question, inputId: string): InputExplanation {
  const { view, now } = question;
  const rows = eventsOfInput(view, inputId).sort((a, b) => a.position - b.position);
  const events = rows.map((row) => explainEvent(question, row));
  return {
    subject: { kind: "input", inputId },
    ...chainOfInput(question, inputId, events),
    status: inputStatus(view, inputId),
    isStale: isStaleInput(view, inputId, now),
    events,
    appliedIds: appliedFor(view, rows),
  };
}

export function explainEvent(question: Question, row: EventRow): Explanation {
  const { topic, messageId } = row;
  return { subject: { kind: "event", topic, messageId }, ...chainOfEvent(question, row) };
}

function chainOfInput(question: Question, inputId: string, events: readonly Explanation[]): Chain {
  const { view, witness } = question;
  const unsettled = events.filter(({ state }) => state !== "done");
  const wedged = unsettled.find(({ state }) => state === "unexplained");
  const first = wedged ?? unsettled.find(({ state }) => state === "moving") ?? unsettled[0];
  if (first) return { state: first.state, because: first.because };
  const { skippedAt } = view.load("inputs", inputId);
  if (skippedAt !== null)
    return done({ kind: "skipped", by: witness.skippedBy.get(inputId) ?? null });
  const delivery = deliveryOfInput(view, inputId);
  if (delivery?.status === "waiting") return chainOfDelivery(question, delivery);
  if (events.length === 0 && delivery === null) return waiting({ kind: "no_events_yet", inputId });
  return done({ kind: "all_settled", eventCount: events.length });
}

/** By the runs that held its events, whichever attempt it was, and by the calls of machines. */
function appliedFor(view: View, events: readonly EventRow[]): string[] {
  const names = new Set(events.map(({ topic, messageId }) => `${topic}\u0000${messageId}`));
  const applied = new Set<string>();
  for (const { topic, messageId, runId } of view.rows("reservations")) {
    if (!names.has(`${topic}\u0000${messageId}`)) continue;
    for (const mutation of view.rows("mutations")) {
      if (mutation.runId === runId && mutation.state === "applied")
        applied.add(mutation.mutationId);
    }
  }
  for (const { mutationId, state } of callsOfUses(view, events)) {
    if (state === "applied") applied.add(mutationId);
  }
  return [...applied];
}
