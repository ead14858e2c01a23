import { type Rule, refuse } from "../journal/decision.ts";
import { findOpenRun } from "../run/find-runs.ts";

export type ResetProducer = {
  readonly kind: "reset_producer";
  readonly handler: string;
  readonly actor: string;
};

/** Forgets how far the producer had come. What it finds again keeps its known messageIds. */
export const resetProducer: Rule<ResetProducer> = (draft, { handler: name, actor }) => {
  const handler = draft.view.find("handlers", name);
  if (!handler) return refuse("handler_not_found");
  if (handler.kind !== "producer") return refuse("handler_not_producer");
  const run = findOpenRun(draft.view);
  if (run?.handler === name) return refuse("workflow_has_open_run", `Run ${run.runId} is open.`);
  const nextRunAt = handler.declared ? draft.now : null;
  draft.emit({ kind: "producer_reset", handler: name, nextRunAt, actor });
  draft.note = "events it has published before will not run again without a topic reset";
  return null;
};
