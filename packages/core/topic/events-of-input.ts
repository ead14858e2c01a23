import { openUses } from "../frame/event-uses.ts";
import { invariant } from "../ports/invariant.ts";
import type { DeliveryRow, EventRow, Instant } from "../view/rows.ts";
import type { View } from "../view/view.ts";

export function eventsOfInput(view: View, inputId: string): EventRow[] {
  invariant(view.has({ kind: "input", inputId }), `input ${inputId} was not loaded`);
  return [...view.rows("events")].filter((event) => event.causedBy.includes(inputId));
}

/** null = the input was registered by a script or by hand. */
export function deliveryOfInput(view: View, inputId: string): DeliveryRow | null {
  invariant(view.has({ kind: "input", inputId }), `input ${inputId} was not loaded`);
  for (const delivery of view.rows("deliveries")) {
    if (delivery.inputId === inputId) return delivery;
  }
  return null;
}

/** Pending for longer than the policy says is normal. */
export function isStaleInput(view: View, inputId: string, now: Instant): boolean {
  const age = now - view.load("inputs", inputId).createdAt;
  return inputStatus(view, inputId) === "pending" && age > view.policy.staleInputMs;
}

export type InputStatus = "pending" | "done" | "skipped";

/**
 * Derived, never stored: an input without events yet is pending, unless it came as a delivery
 * that a run has looked at and made nothing of.
 */
export function inputStatus(view: View, inputId: string): InputStatus {
  if (view.load("inputs", inputId).skippedAt !== null) return "skipped";
  const events = eventsOfInput(view, inputId);
  const delivery = deliveryOfInput(view, inputId);
  if (delivery?.status === "waiting") return "pending";
  const waiting = events.some((event) => isUnsettled(view, event));
  return (events.length === 0 && delivery === null) || waiting ? "pending" : "done";
}

/** Nobody has worked it off yet, or machines are not done with it. */
function isUnsettled(view: View, event: EventRow): boolean {
  const { status } = event;
  return status === "pending" || status === "reserved" || openUses(view, event).length > 0;
}
