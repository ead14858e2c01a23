import { type Rule, refuse } from "../journal/decision.ts";
import { advance } from "./advance.ts";
import { activeRunNamed, heldEvents, unsettledMutation } from "./find-runs.ts";

export type FinishMutate = { readonly kind: "finish_mutate"; readonly runId: string };

/** `mutate` ended without a call: there is nothing to change, and `next` hears `none`. */
export const finishMutate: Rule<FinishMutate> = (draft, { runId }) => {
  const run = activeRunNamed(draft, runId);
  if ("code" in run) return run;
  if (run.phase !== "prepared" && run.phase !== "mutating") {
    return refuse("phase_must_be_prepared");
  }
  if (heldEvents(draft.view, runId).length === 0) return refuse("nothing_reserved");
  if (unsettledMutation(draft.view, runId)) return refuse("mutation_already_recorded");
  if (run.phase === "prepared") advance(draft, run, "mutating");
  advance(draft, run, "mutated", "none");
  draft.order({ kind: "run_phase", runId, phase: "next" });
  return null;
};
