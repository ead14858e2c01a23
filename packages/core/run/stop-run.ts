import { closeAttentions } from "../attention/attend.ts";
import type { Rule } from "../journal/decision.ts";
import { abortRun, whyNotAbortable } from "./abort-run.ts";
import { openRunNamed } from "./find-runs.ts";

export type StopRun = {
  readonly kind: "stop_run";
  readonly runId: string;
  readonly actor: string;
};

/** Gives up on the run and pauses the workflow, so that it is not simply started again. */
export const stopRun: Rule<StopRun> = (draft, { runId, actor }) => {
  const run = openRunNamed(draft, runId);
  if ("code" in run) return run;
  const bad = whyNotAbortable(draft.view, run);
  if (bad) return bad;
  abortRun(draft, run, { actor, note: `stopped by ${actor}` });
  const { status, error } = draft.view.load("workflows");
  if (status === "active") draft.emit({ kind: "workflow_paused", actor });
  if (error !== null) {
    draft.emit({ kind: "workflow_error_cleared", actor });
    closeAttentions(draft, null, { actor, answer: "stop" });
  }
  return null;
};
