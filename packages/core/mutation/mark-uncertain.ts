import { openAttention } from "../attention/attend.ts";
import { attentionAnswers } from "../attention/attention-kind.ts";
import { questionItem } from "../item/item-of-mutation.ts";
import type { Draft } from "../journal/decision.ts";
import { type Policy, reconcileNames, usedOf } from "../policy/policy.ts";
import { pause } from "../run/pause.ts";
import type { Instant, MutationRow, RunRow } from "../view/rows.ts";
import { operationOf, resendableUntil, turnsAfterAsking, wasUncertain } from "./find-mutations.ts";
import type { Evidence } from "./mutation-facts.ts";

/**
 * Nobody knows whether the change happened. If the host has a way to find out it will; otherwise
 * a person is asked at once. The run waits either way, and keeps its events. After a re-send the
 * search goes on with the tries and the time already used. Sending it again is no way to find out
 * where the service has answered already, with something that nobody can read.
 */
export function markUncertain(
  draft: Draft,
  run: RunRow,
  mutation: MutationRow,
  evidence: Evidence,
  { resendHelps = true, mayGoOn = evidence.kind === "recovery" } = {},
): void {
  const quietFrom = quietTime(draft, mutation, mayGoOn);
  pauseForOutcome(draft, run);
  const { mutationId, canReconcile, reconcileSince } = mutation;
  const spentMs = draft.now - (reconcileSince ?? draft.now);
  const policy = draft.view.policyOf(mutation);
  const tooLong = spentMs >= policy.reconcileTotalMsMax;
  const mayResend = resendHelps && withinRetention(draft, mutation);
  if (tooLong || (!mutation.canReconcile && !mayResend)) {
    const limit = tooLong ? "reconcileTotalMsMax" : null;
    giveUpFindingOut(draft, mutation, { quietFrom, evidence, limit });
    return;
  }
  const again = wasUncertain(mutation);
  // It was its turn to be sent again; the next is to ask.
  const isTurn = again && canReconcile && turnsAfterAsking(draft.view, mutation) >= 0;
  const reconcileCount = mutation.reconcileCount + (isTurn ? 1 : 0);
  const nextAttemptAt = draft.now + (again ? spentDelayMs(policy, spentMs) : 0);
  draft.emit({
    kind: "mutation_uncertain",
    mutationId,
    quietFrom,
    nextAttemptAt,
    reconcileCount,
    reconcileSince: reconcileSince ?? draft.now,
    evidence,
    resolution: null,
    policy: usedOf(policy, reconcileNames),
    ...(resendHelps ? {} : { answered: true as const }),
  });
  draft.order({ kind: "reconcile", mutationId, at: nextAttemptAt });
}

/** Without a try to count, the time already spent says how long to wait. */
export function spentDelayMs(
  { reconcileDelayMs, reconcileDelayMsMax }: Policy,
  spentMs: number,
): number {
  return Math.min(Math.max(spentMs, reconcileDelayMs), reconcileDelayMsMax);
}

/** Another process, a host that stood still or an executor, may be sending until this time. */
function quietTime(draft: Draft, mutation: MutationRow, mayGoOn: boolean): Instant {
  if (!mayGoOn) return draft.now;
  return Math.max(draft.now, mutation.quietFrom ?? draft.now);
}

function pauseForOutcome(draft: Draft, run: RunRow): void {
  if (run.status === "paused:reconciliation") return;
  pause(draft, run, { status: "paused:reconciliation", reason: "uncertain" });
}

/**
 * The provider will still know the key when the last byte can leave: sending the same bytes again
 * cannot do it twice.
 */
export function withinRetention(
  draft: Draft,
  mutation: MutationRow,
  sendBy: Instant = draft.now,
): boolean {
  return sendBy < resendableUntil(draft.view, mutation);
}

/** `limit` is what is used up; null = there is no way to find out, or none any more. */
export function giveUpFindingOut(
  draft: Draft,
  mutation: MutationRow,
  {
    quietFrom,
    evidence,
    limit,
  }: {
    readonly quietFrom: Instant;
    readonly evidence: Evidence;
    readonly limit: "reconcileTriesMax" | "reconcileTotalMsMax" | null;
  },
): void {
  const { mutationId, target } = mutation;
  const policy = limit === null ? {} : usedOf(draft.view.policyOf(mutation), [limit]);
  draft.emit({ kind: "mutation_indeterminate", mutationId, quietFrom, evidence, policy });
  questionItem(draft, mutation);
  const can = mutation.canReconcile ? "could not be verified" : "cannot be verified";
  const note = `${operationOf(mutation)} on ${target} ${can}: ${evidence.note}`;
  // Asking the service once more makes sense only where it can be asked.
  const answers = attentionAnswers.outcome_unknown.filter(
    (answer) => answer !== "try_again" || mutation.canReconcile,
  );
  openAttention(draft, "outcome_unknown", mutationId, note, answers);
}
