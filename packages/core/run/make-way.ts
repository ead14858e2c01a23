import { type Rule, refuse } from "../journal/decision.ts";
import { releaseEvents } from "./abort-run.ts";
import type { Ran } from "./active-time.ts";
import { activeRunNamed, unsettledMutation } from "./find-runs.ts";

export type MakeWay = Ran & { readonly kind: "make_way"; readonly runId: string };

/**
 * A job that has had its time ends between two items, so that others have theirs. It stays due: by
 * its schedule, by its event, which it gives back, or because a person asked for it.
 */
export const makeWay: Rule<MakeWay> = (draft, { runId }) => {
  const run = activeRunNamed(draft, runId);
  if ("code" in run) return run;
  if (run.kind !== "job") return refuse("handler_not_job");
  if (run.itemId !== null) return refuse("item_is_processing", `It is in ${run.itemId}.`);
  if (unsettledMutation(draft.view, runId)) return refuse("run_waits_for_outcome");
  const { handler, trigger } = run;
  releaseEvents(draft, runId);
  if (trigger === "manual") {
    draft.emit({ kind: "producers_called", handlers: [handler], actor: "host" });
  }
  draft.emit({ kind: "run_aborted", runId, note: "made way; the job goes on in a run of its own" });
  return null;
};
