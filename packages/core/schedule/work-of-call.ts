import { brakeOn, isResendNext, resendableUntil } from "../mutation/find-mutations.ts";
import type { Instant, MutationRow } from "../view/rows.ts";
import type { View } from "../view/view.ts";
import { whyNotRunnable } from "../workflow/runnable.ts";
import type { NextWork } from "./next-work.ts";

export function dueOr(at: Instant | null, now: Instant, work: NextWork, note: string): NextWork {
  if (at !== null && at > now) return { kind: "wait", until: at, note };
  return work;
}

/**
 * Asking is always allowed, and comes first. Sending again is not, and where it is the only way it
 * has to wait.
 */
export function workOfUncertain(view: View, mutation: MutationRow, now: Instant): NextWork {
  const { mutationId, canReconcile, nextAttemptAt, quietFrom, approval } = mutation;
  const note = "the host is finding out what happened";
  const giveUp = { kind: "reconcile", mutationId } as const;
  const ask = dueOr(nextAttemptAt, now, giveUp, note);
  if (!isResendNext(view, mutation)) return ask;
  const lastCall = resendableUntil(view, mutation);
  const forbidden = whyNotRunnable(view) ?? (brakeOn(view, mutation) ? "brake" : null);
  const approvalOver = approval !== null && approval.expiresAt <= now;
  if (forbidden || approvalOver) return canReconcile ? ask : dueOr(lastCall, now, giveUp, note);
  const at = Math.max(nextAttemptAt ?? 0, quietFrom ?? 0);
  const inTime = Math.max(at, now) < lastCall;
  return dueOr(at, now, inTime ? { kind: "resend", mutationId } : giveUp, note);
}
