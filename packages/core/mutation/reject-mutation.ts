import { closeAttentions } from "../attention/attend.ts";
import { isOfIntent } from "../intent/intent-run.ts";
import { settleIntent } from "../intent/settle-intent.ts";
import { type Rule, refuse } from "../journal/decision.ts";
import { abortRun } from "../run/abort-run.ts";
import { advanceWithOutcome } from "../run/advance.ts";
import { runOf } from "./find-mutations.ts";
import { withdrawMutation } from "./withdraw-mutation.ts";

export type RejectMutation = {
  readonly kind: "reject_mutation";
  readonly mutationId: string;
  readonly reason: string;
  /** skip: go on without it; stop: pause the workflow. */
  readonly then: "skip" | "stop";
  readonly actor: string;
};

export const rejectMutation: Rule<RejectMutation> = (draft, command) => {
  const { mutationId, reason, actor } = command;
  const mutation = draft.view.find("mutations", mutationId);
  if (!mutation) return refuse("mutation_not_found");
  if (mutation.state !== "awaiting_approval") return refuse("mutation_not_awaiting_approval");
  if (reason.trim() === "") return refuse("reason_missing");
  const run = runOf(draft, mutation);
  withdrawMutation(draft, mutation, { actor, note: `rejected: ${reason}`, kind: "rejected" });
  closeAttentions(draft, mutationId, { actor, answer: "reject" });
  if (command.then === "skip") {
    advanceWithOutcome(draft, run, isOfIntent(run) ? "none" : "skipped");
    return null;
  }
  if (isOfIntent(run)) settleIntent(draft, run, "none");
  else abortRun(draft, run, { actor, note: `${actor} rejected the call: ${reason}` });
  const active = draft.view.load("workflows").status === "active";
  if (active) draft.emit({ kind: "workflow_paused", actor });
  return null;
};
