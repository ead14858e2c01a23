import { findOpenRun } from "../run/find-runs.ts";
import type { DeliveryRow } from "../view/rows.ts";
import { whyNotRunnable } from "../workflow/runnable.ts";
import { after, type Chain, type Question, waiting } from "./chain.ts";
import { chainOfTurn } from "./explain-event.ts";
import { chainOfOpenRun } from "./explain-run.ts";
import { stopCauses } from "./stop-causes.ts";

/** One that no run has taken yet. */
export function chainOfDelivery(question: Question, delivery: DeliveryRow): Chain {
  const { view } = question;
  const { handler: name, inputId } = delivery;
  const handler = view.load("handlers", name);
  if (!handler.declared || !handler.webhook) return waiting({ kind: "no_events_yet", inputId });
  const run = findOpenRun(view);
  if (run) {
    const { runId, handler: holder } = run;
    return after({ kind: "behind_run", runId, handler: holder }, chainOfOpenRun(question, run));
  }
  return whyNotRunnable(view) ? waiting(...stopCauses(question)) : chainOfTurn(question, name);
}
