import { findOpenRun } from "../run/find-runs.ts";
import { nextWork } from "../schedule/next-work.ts";
import type { Instant } from "../view/rows.ts";
import type { View } from "../view/view.ts";
import { after, type Chain, moving, type Question, waiting } from "./chain.ts";
import { explainEvent, explainInput } from "./explain-input.ts";
import { chainOfOpenRun, chainOfRun } from "./explain-run.ts";
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
  const run = view.find("workflows") ? findOpenRun(view) : null;
  if (run) {
    const { runId, handler } = run;
    return after({ kind: "behind_run", runId, handler }, chainOfOpenRun(question, run));
  }
  const work = nextWork(view, now);
  if (work.kind === "stopped") return waiting(...stopCauses(question));
  if (work.kind === "wait") return waiting({ kind: "nothing_to_do", until: work.until });
  return moving(work);
}
