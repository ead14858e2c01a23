import { openAttention } from "../attention/attend.ts";
import { failItem } from "../item/find-items.ts";
import { type Draft, type Rule, refuse } from "../journal/decision.ts";
import type { RunFailure, RunRow } from "../view/rows.ts";
import type { Ran } from "./active-time.ts";
import { activeRunNamed, unsettledMutation } from "./find-runs.ts";

export type FailRun = Ran & {
  readonly kind: "fail_run";
  readonly runId: string;
  readonly failure: RunFailure & { readonly class: "logic" | "internal" };
};

/** The handler ended in an error that trying again will not mend. Events stay with the run. */
export const failRun: Rule<FailRun> = (draft, { runId, failure }) => {
  const run = activeRunNamed(draft, runId);
  if ("code" in run) return run;
  if (unsettledMutation(draft.view, runId)) return refuse("run_waits_for_outcome");
  fail(draft, run, failure);
  return null;
};

export function fail(draft: Draft, run: RunRow, failure: RunFailure): void {
  failItem(draft, run);
  const status = failure.class === "internal" ? "failed:internal" : "failed:logic";
  draft.emit({ kind: "run_failed", runId: run.runId, status, failure });
  openAttention(draft, "run_failed", run.runId, `${failure.location}: ${failure.message}`);
}
