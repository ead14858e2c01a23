import { everyBrake, workflowBrake } from "../attention/set-brake.ts";
import type { Draft } from "../journal/decision.ts";
import { mayHaveHappened } from "../restore/restore-point.ts";
import type { BrakeRow, Instant, MutationRow, RunRow } from "../view/rows.ts";
import type { View } from "../view/view.ts";
import type { GuardedInput } from "./mutation-facts.ts";

/**
 * The events behind a mutation: what its run holds until the outcome is known. A job's calls are
 * guarded by their item instead: many of them may come of one event.
 */
export function inputsOf(view: View, runId: string): GuardedInput[] {
  if (view.load("runs", runId).kind === "job") return [];
  const inputs: GuardedInput[] = [];
  for (const { reservedBy, topic, messageId, attempt } of view.rows("events")) {
    if (reservedBy === runId) inputs.push({ topic, messageId, attempt });
  }
  return inputs;
}

export function runOf(draft: Draft, mutation: MutationRow): RunRow {
  return draft.view.load("runs", mutation.runId);
}

/** An earlier send may have happened: what a later one proves holds for that later one only. */
export function wasUncertain({ reconcileSince }: MutationRow): boolean {
  return reconcileSince !== null;
}

export function operationOf({ connection, operation }: MutationRow): string {
  return `${connection}.${operation}`;
}

/**
 * From then on the provider may forget the key before the last byte has left. 0 = never could, or
 * other bytes for the same inputs may have gone out under a key that is forgotten, or the account
 * it was sent with is not the one that its row tells of.
 */
export function resendableUntil(view: View, mutation: MutationRow): Instant {
  const { retentionMs, firstSentAt } = mutation;
  if (retentionMs === null || firstSentAt === null) return 0;
  if (mutation.verdict?.keyed === null || mayHaveHappened(view, mutation)) return 0;
  const { hostPauseMsMax } = view.policy;
  const { retentionMarginMs } = view.policyOf(mutation);
  return firstSentAt + retentionMs - hostPauseMsMax - retentionMarginMs;
}

/**
 * Of a call that its service can be asked about: how often it was asked or sent again since it was
 * asked as often as it may be. Then it is sent again and asked about by turns, as often once more.
 */
export function turnsAfterAsking(view: View, mutation: MutationRow): number {
  return mutation.reconcileCount - view.policyOf(mutation).reconcileTriesMax;
}

/** Whether its turn is to be sent again; whether it may be is another question. */
export function isResendNext(view: View, mutation: MutationRow): boolean {
  const turns = turnsAfterAsking(view, mutation);
  return !mutation.canReconcile || (turns >= 0 && turns % 2 === 0);
}

/** A view, or whatever else has found them. */
type Brakes = { find(table: "brakes", operation: string): BrakeRow | null };

/** The brake that holds a call: on its operation, on its workflow or on all; null = none does. */
export function brakeOn(brakes: Brakes, mutation: MutationRow): BrakeRow | null {
  return brakeOnOperation(brakes, operationOf(mutation));
}

/** `name`: `connection.operation`. */
export function brakeOnOperation(brakes: Brakes, name: string): BrakeRow | null {
  for (const operation of [name, workflowBrake, everyBrake]) {
    const brake = brakes.find("brakes", operation);
    if (brake !== null) return brake;
  }
  return null;
}
