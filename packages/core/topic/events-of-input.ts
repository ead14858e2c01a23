import { invariant } from "../ports/invariant.ts";
import type { EventRow, Instant } from "../view/rows.ts";
import type { View } from "../view/view.ts";

export function eventsOfInput(view: View, inputId: string): EventRow[] {
  invariant(view.has({ kind: "input", inputId }), `input ${inputId} was not loaded`);
  return [...view.rows("events")].filter((event) => event.causedBy.includes(inputId));
}

/** Pending for longer than the policy says is normal. */
export function isStaleInput(view: View, inputId: string, now: Instant): boolean {
  const age = now - view.load("inputs", inputId).createdAt;
  return inputStatus(view, inputId) === "pending" && age > view.policy.staleInputMs;
}

export type InputStatus = "pending" | "done" | "skipped";

/** Derived, never stored: an input without events yet is pending. */
export function inputStatus(view: View, inputId: string): InputStatus {
  if (view.load("inputs", inputId).skippedAt !== null) return "skipped";
  const events = eventsOfInput(view, inputId);
  const waiting = events.some((e) => e.status === "pending" || e.status === "reserved");
  return events.length === 0 || waiting ? "pending" : "done";
}
