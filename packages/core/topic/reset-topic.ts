import { type Rule, refuse } from "../journal/decision.ts";
import { findOpenRun, heldEvents } from "../run/find-runs.ts";

export type ResetTopic = {
  readonly kind: "reset_topic";
  readonly topic: string;
  readonly actor: string;
};

/** Every consumed or skipped event becomes pending as a new attempt; none is deleted. */
export const resetTopic: Rule<ResetTopic> = (draft, { topic, actor }) => {
  const row = draft.view.find("topics", topic);
  if (!row?.declared || row.observed) return refuse("topic_not_declared");
  const run = findOpenRun(draft.view);
  if (run && heldEvents(draft.view, run.runId).some((event) => event.topic === topic)) {
    return refuse("topic_has_reserved_event", `Run ${run.runId} holds events of ${topic}.`);
  }
  draft.emit({ kind: "topic_reset", topic, actor });
  return null;
};
