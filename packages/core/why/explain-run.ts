import { heldMetered } from "../attention/brake-question.ts";
import { isHeldRun, standingFor } from "../intent/hold-intent.ts";
import { isOfIntent, joinedRun } from "../intent/intent-run.ts";
import { workOfIntent } from "../intent/machine-work.ts";
import {
  brakeOn,
  brakeOnOperation,
  isResendNext,
  operationOf,
  resendableUntil,
} from "../mutation/find-mutations.ts";
import { invariant } from "../ports/invariant.ts";
import { mutationsOf, unsettledMutation } from "../run/find-runs.ts";
import { nextRunWork } from "../schedule/next-work.ts";
import type { BrakeRow, Instant, MutationRow, RunRow } from "../view/rows.ts";
import type { View } from "../view/view.ts";
import { whyNotRunnable, whyRunMayNotGoOn } from "../workflow/runnable.ts";
import type { Cause } from "./cause.ts";
import { after, type Chain, done, moving, type Question, unexplained, waiting } from "./chain.ts";
import { questionsAbout, restoreQuestion, stopCauses } from "./stop-causes.ts";

export function chainOfRun(question: Question, runId: string): Chain {
  const run = question.view.load("runs", runId);
  if (run.open) return chainOfOpenRun(question, run);
  if (isOfIntent(run) && run.endedAt === null) return chainOfIntent(question, run);
  const at = run.endedAt ?? run.startedAt;
  if (run.supersededBy !== null) {
    const next = run.supersededBy;
    const cause = { kind: "retried_as", runId: next, retryOf: runId } as const;
    return after(cause, chainOfRun(question, next));
  }
  if (run.status === "committed") return done({ kind: "run_committed", runId, at });
  if (run.status === "aborted") return done({ kind: "run_aborted", runId, at });
  return unexplained(`run ${runId} is ${run.status} and closed, but no run took over`);
}

/** Of a machine's intent: it waits for its own call, and for nothing else of its workflow. */
export function chainOfIntent(question: Question, run: RunRow): Chain {
  const first = joinedRun(question.view, run);
  if (first !== null) {
    const { runId, handler } = first;
    return after({ kind: "same_call", runId, handler }, chainOfIntent(question, first));
  }
  const work = workOfIntent(question.view, run, question.now);
  if (work === null || work.kind === "stopped") return chainOfWait(question, run, null);
  return work.kind === "wait" ? chainOfWait(question, run, work.until) : moving(work);
}

/** An open run comes first: what is due in its workflow is due for it. */
export function chainOfOpenRun(question: Question, run: RunRow): Chain {
  const { view, now } = question;
  const work = nextRunWork(view, now);
  if (work.kind === "stopped") return chainOfWait(question, run, null);
  if (work.kind === "wait") return chainOfWait(question, run, work.until);
  return moving(work);
}

/** `until` is the scheduler's own word on when it looks again. */
function chainOfWait(question: Question, run: RunRow, until: Instant | null): Chain {
  const { view } = question;
  const mutation = unsettledMutation(view, run.runId);
  if (mutation?.state === "in_flight") return waiting(inFlight(mutation, until));
  if (mutation?.state === "needs_reconcile") {
    return waiting(...findingOut(question, mutation, until));
  }
  const causes = [
    ...ownCauses(question, run, mutation),
    ...(whyRunMayNotGoOn(view, run) ? stopCauses(question) : []),
  ];
  if (causes.length > 0) return waiting(...causes);
  return unexplained(`run ${run.runId} is ${run.status} in phase ${run.phase} and nothing is due`);
}

function inFlight(mutation: MutationRow, until: Instant | null): Cause {
  invariant(until !== null, "a call in flight is looked at again");
  const { mutationId, target } = mutation;
  return { kind: "in_flight", mutationId, operation: operationOf(mutation), target, until };
}

/** Asking goes on whatever is stopped; sending again does not. */
function findingOut(question: Question, mutation: MutationRow, until: Instant | null): Cause[] {
  const { view } = question;
  invariant(until !== null, "an uncertain change is looked at again");
  const { mutationId, target, canReconcile } = mutation;
  const brake = brakeOn(view, mutation);
  const isHeld = brake !== null || whyNotRunnable(view) !== null;
  const asks = canReconcile && (isHeld || !isResendNext(view, mutation));
  const mayResend = until < resendableUntil(view, mutation);
  const how = asks ? "ask" : mayResend ? "send_again" : canReconcile ? "ask" : "give_up";
  const operation = operationOf(mutation);
  const cause = { kind: "finding_out", mutationId, operation, target, how, until } as const;
  if (canReconcile) return [cause];
  const stopped = whyNotRunnable(view) ? stopCauses(question) : [];
  const braked = brake === null ? [] : [brakeCause(brake, mutation, null)];
  return [cause, ...stopped, ...braked];
}

/** What the run itself waits for; empty = only for a workflow that may run again. */
function ownCauses(question: Question, run: RunRow, mutation: MutationRow | null): Cause[] {
  const { view, now } = question;
  const { runId, status, dueAt, reason, failure } = run;
  if (run.retryFrom !== null) return retryCauses(question, run);
  if (status === "active" || reason === "brake") {
    return mutation ? callCauses(question, run, mutation) : meteredCauses(question, run);
  }
  if (mutation?.state === "awaiting_approval") {
    return questionsOrWedge(view, run, mutation.approval?.expiresAt ?? null);
  }
  if (status === "paused:transient" && dueAt !== null) {
    return dueAt > now ? [{ kind: "backing_off", runId, reason, failure, until: dueAt }] : [];
  }
  if (status === "paused:user") return [];
  if (reason === "budget" && dueAt !== null) {
    return dueAt > now ? questionsOrWedge(view, run, dueAt) : [];
  }
  return questionsOrWedge(view, run, null);
}

function retryCauses({ view, now }: Question, run: RunRow): Cause[] {
  const { runId, handler, dueAt, retryFrom: from } = run;
  if (!view.find("handlers", handler)?.declared) {
    return [{ kind: "handler_gone", handler, runId }, ...questionsAbout(view, [runId])];
  }
  if (from === null || dueAt === null || dueAt <= now) return [];
  return [{ kind: "retry_ordered", runId, from, until: dueAt }];
}

function callCauses({ view, now }: Question, run: RunRow, mutation: MutationRow): Cause[] {
  const { mutationId, state, nextAttemptAt, approval } = mutation;
  if (state !== "ready") return questionsOrWedge(view, run, null);
  const brake = brakeOn(view, mutation);
  if (brake !== null) {
    return [brakeCause(brake, mutation, approval?.expiresAt ?? null), ...restoreQuestion(view)];
  }
  const operation = operationOf(mutation);
  const { awaitsExecutor: executor } = mutation;
  if (executor !== null) {
    const until = approval?.expiresAt ?? null;
    return [{ kind: "awaits_executor", mutationId, operation, executor, until }];
  }
  if (nextAttemptAt === null || nextAttemptAt <= now) return [];
  return [{ kind: "call_waits", mutationId, operation, until: nextAttemptAt }];
}

function meteredCauses({ view }: Question, run: RunRow): Cause[] {
  const metered = heldMetered(run);
  const brake = metered === null ? null : brakeOnOperation(view, metered);
  if (metered === null || brake === null) return [];
  const { operation, reason, setBy: actor, setAt: at } = brake;
  const cause = { kind: "brake_on", operation, mutationId: null, metered, reason } as const;
  return [{ ...cause, by: { actor, at }, until: null }, ...restoreQuestion(view)];
}

function brakeCause(brake: BrakeRow, { mutationId }: MutationRow, until: Instant | null): Cause {
  const { operation, reason, setBy: actor, setAt: at } = brake;
  return { kind: "brake_on", operation, mutationId, reason, by: { actor, at }, until };
}

function questionsOrWedge(view: View, run: RunRow, until: Instant | null): Cause[] {
  const { runId, status, mutationId } = run;
  const calls = mutationsOf(view, runId).map((mutation) => mutation.mutationId);
  const item = run.itemId === null ? null : view.find("items", run.itemId);
  const alike = isHeldRun(run) ? standingFor(view, run).map((each) => each.runId) : [];
  const subjects = [runId, ...calls, mutationId ?? runId, item?.mutationId ?? runId, ...alike];
  const questions = questionsAbout(view, subjects, until);
  if (questions.length > 0) return questions;
  const note = `run ${runId} is ${status}, and nobody is asked about it`;
  return [{ kind: "unexplained", note }];
}
