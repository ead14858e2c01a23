import { isOfIntent } from "../intent/intent-run.ts";
import { settleIntent } from "../intent/settle-intent.ts";
import { type Draft, type Rule, refuse } from "../journal/decision.ts";
import { backoffMs, transientDelayMs } from "../policy/backoff.ts";
import { reconcileNames, transientNames, usedOf } from "../policy/policy.ts";
import { advanceWithOutcome } from "../run/advance.ts";
import { orderRetry, retryFrom } from "../run/order-retry.ts";
import { backOff } from "../run/pause-run.ts";
import type { MutationRow, RunRow } from "../view/rows.ts";
import { whyNotRunnable } from "../workflow/runnable.ts";
import { whyApprovalIsOver } from "./approve-mutation.ts";
import { brakeOn, inputsOf, isResendNext, runOf, turnsAfterAsking } from "./find-mutations.ts";
import { isSettled } from "./ledger-state.ts";
import { giveUpFindingOut, spentDelayMs, withinRetention } from "./mark-uncertain.ts";
import type { Evidence } from "./mutation-facts.ts";
import { emitApplied } from "./settle-mutation.ts";

export type ReconcileAnswer =
  | { readonly says: "applied"; readonly result: Uint8Array | null }
  | {
      readonly says: "failed";
      readonly note: string;
      /** Since quietFrom, on the asking process's own monotonic clock; 0 after a restart. */
      readonly quietForMs: number;
    }
  | {
      readonly says: "retry";
      readonly note: string;
      /** False = it may not be sent again, however long its key is remembered; absent = true. */
      readonly resendHelps?: boolean;
    }
  /** Nobody could be asked: uses up time, not tries. */
  | { readonly says: "unreachable"; readonly note: string };

export type AnswerReconcile = {
  readonly kind: "answer_reconcile";
  readonly mutationId: string;
  readonly answer: ReconcileAnswer;
  readonly jitter: number;
};

/** What the connector found out. The script's handler has no part in any of this. */
export const answerReconcile: Rule<AnswerReconcile> = (draft, command) => {
  const { mutationId, answer, jitter } = command;
  const mutation = draft.view.find("mutations", mutationId);
  if (!mutation) return refuse("mutation_not_found");
  if (isSettled(mutation.state)) return refuse("mutation_settled");
  if (mutation.state !== "needs_reconcile") return refuse("mutation_not_uncertain");
  const run = runOf(draft, mutation);
  if (answer.says === "applied") {
    emitApplied(draft, mutation, answer.result, found("applied", "reconcile found it"));
    advanceWithOutcome(draft, run, "applied");
    return null;
  }
  if (answer.says === "failed" && isProof(draft, mutation, answer.quietForMs)) {
    failForGood(draft, run, mutation, { evidence: found("failed", answer.note), jitter });
    return null;
  }
  askAgain(draft, mutation, found("unknown", answer.note), {
    counts: answer.says !== "unreachable",
    resendHelps: answer.says !== "retry" || answer.resendHelps !== false,
    jitter,
  });
  return null;
};

function found(says: Evidence["says"], note: string): Evidence {
  return { kind: "reconcile", says, note, body: null };
}

/** "Not there" proves something only once it would have to be visible. */
function isProof(draft: Draft, mutation: MutationRow, quietForMs: number): boolean {
  const { quietFrom, visibilityDelayMs } = mutation;
  if (visibilityDelayMs === null || quietFrom === null || draft.now < quietFrom) return false;
  return quietForMs >= visibilityDelayMs;
}

/** It did not happen: try again as the consumer declares, later each time, not for ever. */
function failForGood(
  draft: Draft,
  run: RunRow,
  mutation: MutationRow,
  { evidence, jitter }: { readonly evidence: Evidence; readonly jitter: number },
): void {
  const { mutationId, handler, operation } = mutation;
  const failure = { class: "transient", message: evidence.note, location: operation } as const;
  draft.emit({
    kind: "mutation_failed",
    mutationId,
    handler,
    failure,
    evidence,
    resolution: null,
    inputs: inputsOf(draft.view, run.runId),
  });
  if (isOfIntent(run)) return settleIntent(draft, run, "none");
  const policy = draft.view.policyOf(mutation);
  const transientCount = run.transientCount + 1;
  if (transientCount > policy.transientTriesMax) {
    draft.emit({ kind: "run_resumed", runId: run.runId, fresh: false });
    backOff(draft, run, failure, { jitter, policy });
    return;
  }
  const dueAt = draft.now + transientDelayMs(policy, transientCount, jitter);
  const counted = { dueAt, transientCount, policy: usedOf(policy, transientNames) };
  orderRetry(draft, run, retryFrom(draft.view, run), counted);
}

/** Asking could not say it. While the key is remembered it is sent again before giving up. */
function mayBeSentAgain(draft: Draft, mutation: MutationRow): boolean {
  const { view, now } = draft;
  if (!mutation.canReconcile || !isResendNext(view, mutation)) return false;
  const { reconcileTriesMax } = view.policyOf(mutation);
  if (turnsAfterAsking(view, mutation) >= reconcileTriesMax) return false;
  if (whyNotRunnable(view) ?? brakeOn(view, mutation)) return false;
  if (whyApprovalIsOver(draft, mutation.mutationId)) return false;
  return withinRetention(draft, mutation, Math.max(now, mutation.quietFrom ?? now));
}

function askAgain(
  draft: Draft,
  mutation: MutationRow,
  evidence: Evidence,
  how: { readonly counts: boolean; readonly resendHelps: boolean; readonly jitter: number },
): void {
  const { now } = draft;
  const policy = draft.view.policyOf(mutation);
  const reconcileCount = mutation.reconcileCount + (how.counts ? 1 : 0);
  const since = mutation.reconcileSince ?? now;
  const quietFrom = mutation.quietFrom ?? now;
  const tooLong = now - since >= policy.reconcileTotalMsMax;
  const mayResend = how.resendHelps && withinRetention(draft, mutation);
  const noWayLeft = !mutation.canReconcile && !mayResend;
  const isTriedOut = how.counts && reconcileCount >= policy.reconcileTriesMax;
  const sendsAgain =
    isTriedOut && mayResend && mayBeSentAgain(draft, { ...mutation, reconcileCount });
  if ((isTriedOut && !sendsAgain) || tooLong || noWayLeft) {
    const spent = tooLong ? "reconcileTotalMsMax" : null;
    const limit = isTriedOut ? "reconcileTriesMax" : spent;
    giveUpFindingOut(draft, mutation, { quietFrom, evidence, limit });
    return;
  }
  const limits = {
    delayMs: policy.reconcileDelayMs,
    delayMsMax: policy.reconcileDelayMsMax,
    jitterShare: policy.jitterShare,
  };
  const delayMs = how.counts
    ? backoffMs(reconcileCount, limits, how.jitter)
    : spentDelayMs(policy, now - since);
  const nextAttemptAt = sendsAgain ? now : now + delayMs;
  draft.emit({
    kind: "mutation_uncertain",
    mutationId: mutation.mutationId,
    quietFrom,
    nextAttemptAt,
    reconcileCount,
    reconcileSince: since,
    evidence,
    resolution: null,
    policy: usedOf(policy, reconcileNames),
  });
  draft.order({ kind: "reconcile", mutationId: mutation.mutationId, at: nextAttemptAt });
}
