import { type Rule, refuse } from "../journal/decision.ts";
import { findOpenRun } from "../run/find-runs.ts";

export type StartFresh = {
  readonly kind: "start_fresh";
  /** The job. */
  readonly handler: string;
  readonly actor: string;
};

/** Every item of the job begins a new attempt when it is met again: one fact for all of them. */
export const startFresh: Rule<StartFresh> = (draft, { handler, actor }) => {
  const row = draft.view.find("handlers", handler);
  if (!row) return refuse("handler_not_found", `No handler is named ${handler}.`);
  if (row.kind !== "job") return refuse("handler_not_job");
  const run = findOpenRun(draft.view);
  if (run?.handler === handler) {
    return refuse("workflow_has_open_run", `Run ${run.runId} is open (${run.status}).`);
  }
  draft.emit({ kind: "items_freshened", handlers: [handler], actor });
  return null;
};
