import { openUses } from "../frame/event-uses.ts";
import { findOpenRun } from "../run/find-runs.ts";
import { consumerDue, nextRunWork } from "../schedule/next-work.ts";
import { eventName } from "../topic/event-name.ts";
import type { EventRow, HandlerRow, RunRow } from "../view/rows.ts";
import type { View } from "../view/view.ts";
import { whyNotRunnable } from "../workflow/runnable.ts";
import { after, type Chain, done, moving, type Question, unexplained, waiting } from "./chain.ts";
import { chainOfTaken, chainOfUse } from "./explain-machines.ts";
import { chainOfOpenRun } from "./explain-run.ts";
import { stopCauses } from "./stop-causes.ts";

export function chainOfEvent(question: Question, event: EventRow): Chain {
  switch (event.status) {
    case "pending":
      return chainOfPending(question, event);
    case "reserved":
      return chainOfReserved(question, event);
    case "consumed":
      return chainOfConsumed(question, event);
    case "skipped":
      return chainOfSkipped(question, event);
  }
}

function chainOfReserved(question: Question, event: EventRow): Chain {
  const run = findOpenRun(question.view);
  const { reservedBy } = event;
  if (!run || run.runId !== reservedBy) {
    const name = eventName(event);
    return unexplained(`event ${name} is held by run ${reservedBy}, which is not open`);
  }
  const { runId, handler } = run;
  return after({ kind: "held_by_run", runId, handler }, chainOfOpenRun(question, run));
}

function chainOfPending(question: Question, event: EventRow): Chain {
  const { view } = question;
  const { topic } = event;
  const { subscriber, declared } = view.load("topics", topic);
  if (subscriber === null) return waiting({ kind: "no_subscriber", topic, declared });
  const handler = view.find("handlers", subscriber);
  if (!handler?.declared) {
    return unexplained(`topic ${topic} is for ${subscriber}, which the active version lacks`);
  }
  const run = findOpenRun(view);
  if (run) {
    const { runId, handler: holder } = run;
    return after({ kind: "behind_run", runId, handler: holder }, chainOfOpenRun(question, run));
  }
  if (whyNotRunnable(view)) return waiting(...stopCauses(question));
  return chainOfSubscriber(question, handler, event);
}

function chainOfSubscriber(question: Question, handler: HandlerRow, event: EventRow): Chain {
  const { name, checkedThrough, wakeAt } = handler;
  if (consumerDue(question.view, handler, question.now)) return chainOfTurn(question, name);
  if (event.revision > checkedThrough) {
    const what = `event ${eventName(event)} came at ${event.revision}`;
    return unexplained(`${what}, ${name} looked up to ${checkedThrough}, and nothing wakes it`);
  }
  return waiting({ kind: "looked_and_left", handler: name, checkedThrough, until: wakeAt });
}

/** The handler is due; another one may be due before it. */
export function chainOfTurn({ view, now }: Question, handler: string): Chain {
  const work = nextRunWork(view, now);
  if (work.kind !== "start_run") return unexplained(`${handler} is due, but not started`);
  if (work.handler === handler) return moving(work);
  return after({ kind: "not_its_turn", handler, first: work.handler }, moving(work));
}

function chainOfConsumed(question: Question, event: EventRow): Chain {
  const { view } = question;
  const { topic, deliveryCount } = event;
  const [use] = openUses(view, event);
  if (use !== undefined) return chainOfUse(question, event, use);
  const run = committedRun(view, event);
  if (run) {
    const { runId, endedAt, startedAt, outcome } = run;
    const mutationId = outcome === "applied" ? run.mutationId : null;
    return done({ kind: "consumed", runId, at: endedAt ?? startedAt, mutationId });
  }
  if (deliveryCount === 0) {
    const isTaken = view.find("topics", topic)?.machines ?? false;
    return isTaken ? chainOfTaken(view, event) : done({ kind: "observed", topic });
  }
  return unexplained(`event ${eventName(event)} is consumed, but no run committed with it`);
}

function chainOfSkipped({ view, witness }: Question, event: EventRow): Chain {
  const run = committedRun(view, event);
  const mutationId = run?.outcome === "skipped" ? run.mutationId : null;
  if (run && mutationId !== null) {
    const { resolution } = view.load("mutations", mutationId);
    if (resolution) {
      const by = { actor: resolution.actor, at: resolution.at };
      const kind = resolution.kind === "rejected" ? "call_rejected" : "outcome_skipped";
      return done({ kind, runId: run.runId, mutationId, by });
    }
  }
  return done({ kind: "skipped", by: witness.skippedBy.get(eventName(event)) ?? null });
}

/** The run that committed with this attempt of the event; null = none, or none that is here. */
function committedRun(view: View, event: EventRow): RunRow | null {
  const { topic, messageId, attempt } = event;
  for (const row of view.rows("reservations")) {
    if (row.topic !== topic || row.messageId !== messageId || row.attempt !== attempt) continue;
    const run = view.load("runs", row.runId);
    if (run.status === "committed") return run;
  }
  return null;
}
