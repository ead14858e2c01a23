import { type Rule, refuse } from "../journal/decision.ts";
import { findOpenRun } from "../run/find-runs.ts";
import type { HandlerKind } from "../view/rows.ts";
import { whyNotRunnable } from "../workflow/runnable.ts";

export type RunNow = { readonly kind: "run_now"; readonly actor: string };

/** What events start waits for them. */
function isCalled(kind: HandlerKind, subscribe: readonly string[]): boolean {
  return kind === "producer" || (kind === "job" && subscribe.length === 0);
}

/** All producers and jobs, at once; refused when the workflow is busy or stopped. */
export const runNow: Rule<RunNow> = (draft, { actor }) => {
  const bad = whyNotRunnable(draft.view);
  if (bad) return bad;
  const run = findOpenRun(draft.view);
  if (run) return refuse("workflow_has_open_run", `Run ${run.runId} is open (${run.status}).`);
  const handlers = [...draft.view.rows("handlers")]
    .filter(({ kind, declared, subscribe }) => isCalled(kind, subscribe) && declared)
    .map(({ name }) => name);
  if (handlers.length === 0)
    return refuse("handler_not_found", "There is no producer or job to run.");
  draft.emit({ kind: "producers_called", handlers, actor });
  return null;
};
