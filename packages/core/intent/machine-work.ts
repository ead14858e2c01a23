import { isHeldByOthers } from "../attention/held-intents.ts";
import { brakeOn } from "../mutation/find-mutations.ts";
import type { NextWork } from "../schedule/next-work.ts";
import { dueOr, workOfUncertain } from "../schedule/work-of-call.ts";
import type { Instant, MutationRow, RunRow } from "../view/rows.ts";
import type { View } from "../view/view.ts";
import { whyNotRunnable } from "../workflow/runnable.ts";
import { isHeldRun } from "./hold-intent.ts";
import { callOfIntent, openIntentRuns } from "./intent-run.ts";

/** Whether an executor elsewhere asks for work at this moment, at the host that wants to know. */
export type AsksForWork = (executor: string) => boolean;

/** What the owner knows beyond the rows; the store knows nothing of it. */
export type OwnerKnows = {
  /** What waits for an executor is not due by itself. */
  readonly asks?: AsksForWork;
  /** All that was due for machines is under way: until then the clock brings nothing else. */
  readonly machinesRestUntil?: Instant | null;
};

const nobodyAsks: AsksForWork = () => false;

/**
 * What is to be done for the machines of a workflow: their calls, the oldest first, then a turn;
 * but a turn that is due by the clock comes first: it may take back what was not sent in time.
 * Beside the work of runs, which hold them up as little as they hold up a run.
 */
export function machineWork(
  view: View,
  now: Instant,
  { asks = nobodyAsks, machinesRestUntil: rest = null }: OwnerKnows = {},
): NextWork | null {
  const workflow = view.find("workflows");
  if (workflow === null) return null;
  const all: NextWork[] = [];
  const serve = { kind: "serve_machines" } as const;
  const { machineDueAt } = workflow;
  const isRunnable = whyNotRunnable(view) === null;
  const isDue = machineDueAt !== null && machineDueAt <= now;
  if (isRunnable && isDue && (rest === null || rest <= now)) return serve;
  const calls = intentWork(view, now, asks);
  if (calls !== null) all.push(calls);
  if (isRunnable) {
    const isWaiting = workflow.machineInputSeq > workflow.machineThrough;
    if (isWaiting || isHeldByOthers(view)) all.push(serve);
    else if (machineDueAt !== null) {
      all.push(dueOr(machineDueAt, now, serve, "the machines wait"));
    }
  }
  return soonest(all);
}

/** The same without a turn: calls that are in the ledger. */
export function intentWork(
  view: View,
  now: Instant,
  asks: AsksForWork = nobodyAsks,
): NextWork | null {
  return soonest(openIntentRuns(view).flatMap((run) => workOfIntent(view, run, now, asks) ?? []));
}

/** What the host does for one intent, or until when it waits; null = for a person. */
export function workOfIntent(
  view: View,
  run: RunRow,
  now: Instant,
  asks: AsksForWork = nobodyAsks,
): NextWork | null {
  const call = callOfIntent(view, run);
  return call === null ? null : workOfCall(view, { run, call, now, asks });
}

type Call = {
  readonly run: RunRow;
  readonly call: MutationRow;
  readonly now: Instant;
  readonly asks: AsksForWork;
};

function workOfCall(view: View, { run, call, now, asks }: Call): NextWork | null {
  const isStopped = whyNotRunnable(view) !== null;
  const { mutationId, state, approval, nextAttemptAt, quietFrom } = call;
  if (state === "in_flight") {
    return dueOr(quietFrom, now, { kind: "recover_intent", mutationId }, "the call is being sent");
  }
  if (state === "needs_reconcile") return workOfUncertain(view, call, now);
  if (isStopped || (state !== "ready" && state !== "awaiting_approval")) return null;
  const expire = { kind: "expire_approval", mutationId } as const;
  const isOver = approval !== null && approval.expiresAt <= now;
  if (isOver) return expire;
  const untilExpiry = dueOr(approval?.expiresAt ?? null, now, expire, "a person is asked");
  if (state === "awaiting_approval") return untilExpiry;
  const ofApproval = approval === null ? [] : [untilExpiry];
  if (run.status !== "active") return soonest([...roomFor(run, now), ...ofApproval]);
  if (brakeOn(view, call)) return soonest(ofApproval);
  const { awaitsExecutor } = call;
  if (awaitsExecutor !== null && !asks(awaitsExecutor)) return soonest(ofApproval);
  return dueOr(nextAttemptAt, now, { kind: "send", mutationId }, "the call waits to be sent");
}

/** A limit has room again then; other grants, or a person, may let it go before. */
function roomFor(run: RunRow, now: Instant): readonly NextWork[] {
  const { runId, dueAt } = run;
  if (!isHeldRun(run) || dueAt === null) return [];
  return [dueOr(dueAt, now, { kind: "resume_run", runId }, "a limit is used up")];
}

/** The first that can be done now; otherwise the earliest time something can. */
function soonest(all: readonly NextWork[]): NextWork | null {
  const now = all.find(({ kind }) => kind !== "wait");
  if (now !== undefined) return now;
  return all.reduce<NextWork | null>((least, each) => {
    if (least?.kind !== "wait" || each.kind !== "wait") return each;
    return (each.until ?? Infinity) < (least.until ?? Infinity) ? each : least;
  }, null);
}
