import { isHeldRun } from "../intent/hold-intent.ts";
import { callOfIntent, openIntentRuns } from "../intent/intent-run.ts";
import { machineWork } from "../intent/machine-work.ts";
import { findOpenRun } from "../run/find-runs.ts";
import { nextRunWork } from "../schedule/next-work.ts";
import type { Instant } from "../view/rows.ts";
import type { View } from "../view/view.ts";
import { whyNotRunnable } from "../workflow/runnable.ts";
import type { Cause } from "./cause.ts";
import { after, type Chain, moving, type Question, waiting } from "./chain.ts";
import { explainEvent, explainInput } from "./explain-input.ts";
import { causesOfHeldCalls, causesOfStoppedCells } from "./explain-machines.ts";
import { chainOfIntent, chainOfOpenRun, chainOfRun } from "./explain-run.ts";
import type { Explanation, InputExplanation, Subject, Witness } from "./explanation.ts";
import { stopCauses } from "./stop-causes.ts";
import { noWitness } from "./witness.ts";

/**
 * Why something is where it is, from the subject to what it waits for in the end. The subject
 * exists. The view holds `base` and `oldest_pending`; for an event that is settled also the runs
 * that held it, for an input also its events with theirs, for a run also those that took over.
 */
export function explain(
  view: View,
  subject: Extract<Subject, { kind: "input" }>,
  now: Instant,
  witness?: Witness,
): InputExplanation;
export function explain(
  view: View,
  subject: Subject,
  now: Instant,
  witness?: Witness,
): Explanation | InputExplanation;
export function explain(
  view: View,
  subject: Subject,
  now: Instant,
  witness: Witness = noWitness,
): Explanation | InputExplanation {
  const question = { view, now, witness };
  switch (subject.kind) {
    case "workflow":
      return { subject, ...chainOfWorkflow(question) };
    case "run":
      return { subject, ...chainOfRun(question, subject.runId) };
    case "event":
      return explainEvent(question, view.load("events", subject.topic, subject.messageId));
    case "input":
      return explainInput(question, subject.inputId);
  }
}

/** What others asked comes first: it may change everything after it. */
function chainOfWorkflow(question: Question): Chain {
  const { commandsWaiting: count } = question.witness;
  const chain = chainOfRows(question);
  if (count === 0) return chain;
  return { ...after({ kind: "commands_waiting", count }, chain), state: "moving" };
}

function chainOfRows(question: Question): Chain {
  const { view, now } = question;
  const machines = machineWork(view, now);
  const isDue = machines !== null && machines.kind !== "wait" && machines.kind !== "stopped";
  if (isDue) return moving(machines);
  const own = chainOfRuns(question);
  if (own.state !== "waiting") return own;
  const stopped = [...causesOfStoppedCells(view), ...causesOfHeldCalls(view)];
  const more = [...stopped, ...intentCauses(question), ...machineCauses(question)];
  const isIdle = own.because.every(({ kind }) => kind === "nothing_to_do");
  return more.length > 0 && isIdle && ownUntil(own) === null
    ? waiting(...more)
    : { ...own, because: [...own.because, ...more] };
}

function ownUntil({ because: [first] }: Chain): Instant | null {
  return first !== undefined && "until" in first ? first.until : null;
}

function chainOfRuns(question: Question): Chain {
  const { view, now } = question;
  const run = view.find("workflows") ? findOpenRun(view) : null;
  if (run) {
    const { runId, handler } = run;
    return after({ kind: "behind_run", runId, handler }, chainOfOpenRun(question, run));
  }
  const work = nextRunWork(view, now);
  if (work.kind === "stopped") return waiting(...stopCauses(question));
  if (work.kind === "wait") return waiting({ kind: "nothing_to_do", until: work.until });
  return moving(work);
}

/**
 * What calls of machines wait for; in a stopped workflow only what is found out all the same. Of
 * those that wait for one thing the one that is asked about says so for the others.
 */
function intentCauses(question: Question): Cause[] {
  const { view } = question;
  const isStopped = whyNotRunnable(view) !== null;
  const open = view.rows("attentions").filter(({ closedAt }) => closedAt === null);
  const asked = new Set(open.map(({ subject }) => subject));
  return openIntentRuns(view).flatMap((run) => {
    if (isHeldRun(run) && !asked.has(run.runId)) return [];
    const state = callOfIntent(view, run)?.state;
    const isFoundOut = state === "in_flight" || state === "needs_reconcile";
    return isStopped && !isFoundOut ? [] : chainOfIntent(question, run).because;
  });
}

function machineCauses({ view }: Question): Cause[] {
  const until = view.find("workflows")?.machineDueAt ?? null;
  if (until === null || whyNotRunnable(view) !== null) return [];
  return [{ kind: "machines_wait", until }];
}
