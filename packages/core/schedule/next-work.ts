import { intentWork, machineWork, type OwnerKnows } from "../intent/machine-work.ts";
import { brakeOn } from "../mutation/find-mutations.ts";
import { invariant } from "../ports/invariant.ts";
import type { Need } from "../ports/store.ts";
import { findOpenRun, unsettledMutation } from "../run/find-runs.ts";
import type { RunReason } from "../run/start-run.ts";
import type { HandlerKind, HandlerRow, Instant, MutationRow, RunRow } from "../view/rows.ts";
import type { View } from "../view/view.ts";
import { whyNotRunnable, whyRunMayNotGoOn } from "../workflow/runnable.ts";
import { dueOr, workOfUncertain } from "./work-of-call.ts";

/** What the workflow's owner should do next, or until when, or for whom, it waits. */
export type NextWork =
  | { readonly kind: "stopped"; readonly note: string }
  | { readonly kind: "wait"; readonly until: Instant | null; readonly note: string }
  | { readonly kind: "start_retry"; readonly runId: string }
  | { readonly kind: "resume_run"; readonly runId: string }
  | { readonly kind: "continue_run"; readonly runId: string }
  | { readonly kind: "send"; readonly mutationId: string }
  | { readonly kind: "reconcile"; readonly mutationId: string }
  | { readonly kind: "recover_run"; readonly runId: string }
  | { readonly kind: "resend"; readonly mutationId: string }
  | { readonly kind: "expire_approval"; readonly mutationId: string }
  /** Of a machine: its call was sent by somebody who is gone. */
  | { readonly kind: "recover_intent"; readonly mutationId: string }
  | { readonly kind: "serve_machines" }
  | { readonly kind: "start_run"; readonly handler: string; readonly why: RunReason };

/**
 * An open run comes first and holds up everything else of its workflow. Then consumers, the one
 * with the oldest pending event first, then jobs that events start, in the same way, then
 * producers and the other jobs, the longest overdue first. Finding out
 * about an uncertain change goes on even while the workflow is paused: it sends nothing. Machines
 * neither wait for runs nor hold them up: where both have something to do, `first` says whose turn
 * it is.
 */
export function nextWork(
  view: View,
  now: Instant,
  first: Side = "machines",
  knows: OwnerKnows = {},
): NextWork {
  const machines = machineWork(view, now, knows);
  if (machines === null) return nextRunWork(view, now);
  if (first === "machines" && isNow(machines)) return machines;
  const runs = nextRunWork(view, now);
  return isNow(runs) ? runs : sooner(machines, runs);
}

/** The same without the machines. */
export function nextRunWork(view: View, now: Instant): NextWork {
  return workOf(view, now, oldestPending);
}

export type Side = "machines" | "runs";

function isNow({ kind }: NextWork): boolean {
  return kind !== "wait" && kind !== "stopped";
}

/** Neither can be done now, or only the machines' can. */
function sooner(machines: NextWork, runs: NextWork): NextWork {
  if (machines.kind !== "wait") return machines;
  if (runs.kind !== "wait" || runs.until === null) return { ...machines, note: noteOf(runs) };
  return machines.until !== null && machines.until < runs.until ? machines : runs;
}

function noteOf(work: NextWork): string {
  return "note" in work ? work.note : "";
}

/**
 * What has to be loaded besides `base` to name the next work and to begin with it: the oldest
 * events, where several consumers are due or a handler is about to be shown the first one.
 */
export function needsOfNextWork(view: View, now: Instant): Need[] {
  let isRanked = false;
  // Whatever the machines want: the turn after theirs may be a run's.
  const work = workOf(view, now, () => {
    isRanked = true;
    return 0;
  });
  return isRanked || beginsHandler(view, work) ? [{ kind: "oldest_pending" }] : [];
}

function beginsHandler(view: View, work: NextWork): boolean {
  if (work.kind === "start_run") return view.load("handlers", work.handler).kind !== "producer";
  if (work.kind !== "continue_run") return false;
  const { phase } = view.load("runs", work.runId);
  return phase === "preparing" || phase === "executing";
}

/** Lower ranks go first; asked only where several are due. */
type RankConsumer = (view: View, handler: HandlerRow) => number;

function workOf(view: View, now: Instant, rank: RankConsumer): NextWork {
  const run = view.find("workflows") ? findOpenRun(view) : null;
  const mutation = run && unsettledMutation(view, run.runId);
  if (mutation?.state === "in_flight") return workOfSent(mutation, now);
  if (mutation?.state === "needs_reconcile") return workOfUncertain(view, mutation, now);
  const stopped = run ? whyRunMayNotGoOn(view, run) : whyNotRunnable(view);
  if (stopped) return { kind: "stopped", note: stopped.note };
  if (run) return workOfRun(view, run, now);
  return (
    dueSubscriber(view, now, { kind: "consumer", rank }) ??
    dueSubscriber(view, now, { kind: "job", rank }) ??
    dueProducer(view, now) ??
    sleep(view)
  );
}

/** Whoever was sending must have an answer by then; if nobody has, somebody has to look. */
function workOfSent({ runId, quietFrom }: MutationRow, now: Instant): NextWork {
  return dueOr(quietFrom, now, { kind: "recover_run", runId }, "the call is being sent");
}

function workOfRun(view: View, run: RunRow, now: Instant): NextWork {
  const mutation = unsettledMutation(view, run.runId);
  const { runId, status, dueAt } = run;
  if (run.retryFrom !== null) {
    const handlerIsGone = !view.load("handlers", run.handler).declared;
    const note = `${run.handler} is not in the active version`;
    if (handlerIsGone) return { kind: "wait", until: null, note };
    return dueOr(dueAt, now, { kind: "start_retry", runId }, "a retry is ordered");
  }
  if (status === "active") return workOfActiveRun(view, run, now);
  if (mutation && run.reason === "brake") return workOfHeld(mutation, now);
  if (mutation?.state === "awaiting_approval") {
    const { mutationId, approval } = mutation;
    const expire = { kind: "expire_approval", mutationId } as const;
    return dueOr(approval?.expiresAt ?? null, now, expire, "a person is asked to approve");
  }
  const isForTime = status === "paused:transient" || run.reason === "budget";
  if (isForTime && dueAt !== null) {
    return dueOr(dueAt, now, { kind: "resume_run", runId }, `the run waits (${run.reason})`);
  }
  if (status === "paused:user") return { kind: "resume_run", runId };
  return { kind: "wait", until: null, note: `run ${runId} is ${status} and waits for a person` };
}

function workOfActiveRun(view: View, { runId }: RunRow, now: Instant): NextWork {
  const mutation = unsettledMutation(view, runId);
  if (!mutation) return { kind: "continue_run", runId };
  const { mutationId, nextAttemptAt, approval } = mutation;
  if (mutation.state !== "ready") {
    return { kind: "wait", until: null, note: "the call is being sent" };
  }
  const isOver = approval !== null && approval.expiresAt <= now;
  if (isOver || brakeOn(view, mutation)) return workOfHeld(mutation, now);
  return dueOr(nextAttemptAt, now, { kind: "send", mutationId }, "the call waits to be sent");
}

/** Nothing goes out; a yes that was given before runs out all the same. */
function workOfHeld({ mutationId, approval }: MutationRow, now: Instant): NextWork {
  const until = approval?.expiresAt ?? null;
  if (until !== null && until <= now) return { kind: "expire_approval", mutationId };
  return { kind: "wait", until, note: "the brake is on" };
}

/** Due when something became pending after its last look, or its wish to be woken has come. */
export function consumerDue(
  view: View,
  handler: HandlerRow,
  now: Instant,
): "event" | "wake" | null {
  const isNew = handler.subscribe.some(
    (topic) => (view.find("topics", topic)?.lastPendingSeq ?? 0) > handler.checkedThrough,
  );
  if (isNew) return "event";
  return handler.wakeAt !== null && handler.wakeAt <= now ? "wake" : null;
}

function declaredHandlers(view: View, ...kinds: readonly HandlerKind[]): HandlerRow[] {
  return [...view.rows("handlers")]
    .filter((handler) => handler.declared && kinds.includes(handler.kind))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Whether a job should make way: something of its workflow waits for its end. */
export function isConsumerDue(view: View, now: Instant): boolean {
  return declaredHandlers(view, "consumer").some((each) => consumerDue(view, each, now) !== null);
}

function dueSubscriber(
  view: View,
  now: Instant,
  { kind, rank }: { readonly kind: "consumer" | "job"; readonly rank: RankConsumer },
): NextWork | null {
  const due = declaredHandlers(view, kind).flatMap((handler) => {
    const why = consumerDue(view, handler, now);
    return why ? [{ handler, why }] : [];
  });
  const first = due.length > 1 ? oldestOf(due, ({ handler }) => rank(view, handler)) : due[0];
  return first ? { kind: "start_run", handler: first.handler.name, why: first.why } : null;
}

/** The earlier one where both are as old. */
function oldestOf<T>(all: readonly T[], ageOf: (one: T) => number): T | undefined {
  const ages = all.map(ageOf);
  return all[ages.indexOf(Math.min(...ages))];
}

function oldestPending(view: View, handler: HandlerRow): number {
  invariant(view.has({ kind: "oldest_pending" }), "the oldest pending events were not loaded");
  let oldest = Number.POSITIVE_INFINITY;
  for (const { topic, status, position } of view.rows("events")) {
    if (status !== "pending" || !handler.subscribe.includes(topic)) continue;
    oldest = Math.min(oldest, position);
  }
  return oldest;
}

type DueProducer = { readonly handler: string; readonly why: RunReason; readonly since: Instant };

/** A person's wish comes first, then the schedule, then deliveries. */
function producerDue(handler: HandlerRow, now: Instant): DueProducer | null {
  const { name, calledAt, nextRunAt, webhook, waitingCount } = handler;
  if (calledAt !== null) return { handler: name, why: "manual", since: calledAt };
  if (nextRunAt !== null && nextRunAt <= now) {
    return { handler: name, why: "schedule", since: nextRunAt };
  }
  return webhook && waitingCount > 0 ? { handler: name, why: "webhook", since: now } : null;
}

function dueProducer(view: View, now: Instant): NextWork | null {
  const due = declaredHandlers(view, "producer", "job").flatMap(
    (each) => producerDue(each, now) ?? [],
  );
  const first = due.sort((a, b) => a.since - b.since)[0];
  return first ? { kind: "start_run", handler: first.handler, why: first.why } : null;
}

function sleep(view: View): NextWork {
  const times: Instant[] = [];
  for (const { declared, kind, wakeAt, nextRunAt } of view.rows("handlers")) {
    const at = kind === "consumer" ? wakeAt : nextRunAt;
    if (declared && at !== null) times.push(at);
  }
  const until = times.length > 0 ? Math.min(...times) : null;
  return { kind: "wait", until, note: "nothing to do" };
}

/** For the store's due index; null = only the inbox can wake it. Which consumer is no matter. */
export function dueAt(view: View, now: Instant): Instant | null {
  const runs = timeOf(
    workOf(view, now, () => 0),
    now,
  );
  return earlier(runs, timeOf(machineWork(view, now), now));
}

/** When there is something to do other than a turn of the machines; null = nothing is awaited. */
export function dueBesideTurn(view: View, now: Instant, { asks }: OwnerKnows): Instant | null {
  const runs = timeOf(
    workOf(view, now, () => 0),
    now,
  );
  return earlier(runs, timeOf(intentWork(view, now, asks), now));
}

function earlier(one: Instant | null, other: Instant | null): Instant | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}

/** When it can be done; null = not before somebody says something. */
function timeOf(work: NextWork | null, now: Instant): Instant | null {
  if (work === null || work.kind === "stopped") return null;
  return work.kind === "wait" ? work.until : now;
}
