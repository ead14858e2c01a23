import { closeAttentions } from "../attention/attend.ts";
import { type Rule, refuse } from "../journal/decision.ts";
import { openRunNamed } from "./find-runs.ts";
import { orderRetry, retryFrom } from "./order-retry.ts";

export type RetryRun = {
  readonly kind: "retry_run";
  readonly runId: string;
  readonly actor: string;
};

/** Orders a new run in place of a failed or crashed one; the host starts it when it may. */
export const retryRun: Rule<RetryRun> = (draft, { runId, actor }) => {
  const run = openRunNamed(draft, runId);
  if ("code" in run) return run;
  const ended = run.status.startsWith("failed:") || run.status === "crashed";
  if (!ended) return refuse("run_not_failed", `Run ${runId} is ${run.status}.`);
  if (run.retryFrom !== null) return refuse("retry_already_ordered");
  if (!draft.view.load("handlers", run.handler).declared) return refuse("handler_not_declared");
  closeAttentions(draft, runId, { actor, answer: "retry" });
  orderRetry(draft, run, retryFrom(draft.view, run));
  return null;
};
