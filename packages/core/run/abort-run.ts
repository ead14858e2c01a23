import { closeAttentions } from "../attention/attend.ts";
import { failItem } from "../item/find-items.ts";
import { type Draft, refuse } from "../journal/decision.ts";
import type { Refusal } from "../journal/refusal.ts";
import { withdrawMutation } from "../mutation/withdraw-mutation.ts";
import type { RunRow } from "../view/rows.ts";
import type { View } from "../view/view.ts";
import { heldEvents, uncertainMutation, unsettledMutation } from "./find-runs.ts";

/** A run can be taken back only while nothing it ordered can have reached the outside. */
export function whyNotAbortable(view: View, run: RunRow): Refusal | null {
  if (!run.open) return refuse("run_closed");
  const uncertain = uncertainMutation(view, run.runId);
  if (uncertain) {
    const note = `Mutation ${uncertain.mutationId} of run ${run.runId} is ${uncertain.state}.`;
    return refuse("run_waits_for_outcome", note);
  }
  if (run.outcome === "applied" || run.outcome === "skipped") {
    const note = `The outside change of run ${run.runId} is ${run.outcome}; it completes.`;
    return refuse("run_waits_for_outcome", note);
  }
  return null;
}

/** Withdraw what was recorded and not sent, let go of every event, close the run. */
export function abortRun(
  draft: Draft,
  run: RunRow,
  by: { readonly actor: string; readonly note: string },
): void {
  const mutation = unsettledMutation(draft.view, run.runId);
  if (mutation) {
    withdrawMutation(draft, mutation, by);
    closeAttentions(draft, mutation.mutationId, { actor: by.actor, answer: "withdrawn" });
  }
  failItem(draft, run);
  releaseEvents(draft, run.runId);
  closeAttentions(draft, run.runId, { actor: by.actor, answer: "stop" });
  draft.emit({ kind: "run_aborted", runId: run.runId, note: by.note });
}

export function releaseEvents(draft: Draft, runId: string): void {
  const events = heldEvents(draft.view, runId).map(({ topic, messageId }) => ({
    topic,
    messageId,
  }));
  if (events.length > 0) draft.emit({ kind: "events_released", runId, events });
}
