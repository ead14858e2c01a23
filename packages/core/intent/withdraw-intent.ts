import { closeAttentions } from "../attention/attend.ts";
import { type Rule, refuse } from "../journal/decision.ts";
import { runOf } from "../mutation/find-mutations.ts";
import { withdrawMutation } from "../mutation/withdraw-mutation.ts";
import { tendHeldRuns } from "./hold-intent.ts";
import { isOfIntent, joinedRun, openIntentRuns } from "./intent-run.ts";
import { settleIntent, settleJoined } from "./settle-intent.ts";

export type WithdrawIntent = {
  readonly kind: "withdraw_intent";
  readonly intentId: string;
  readonly note: string;
};

/**
 * Taken back, if nothing of it was sent. What was sent stays in the ledger until its outcome is
 * known, whether or not anybody waits for it any more.
 */
export const withdrawIntent: Rule<WithdrawIntent> = (draft, { intentId, note }) => {
  if (!draft.view.find("workflows")) return refuse("workflow_not_created");
  const run = openIntentRuns(draft.view).find(({ itemId }) => itemId === intentId);
  if (run === undefined) return null;
  if (joinedRun(draft.view, run) !== null) {
    const failure = { code: note, message: "it waited for another call under its key" };
    settleJoined(draft, run, { outcome: "none", failure });
    return null;
  }
  if (run.mutationId === null) return null;
  const mutation = draft.view.load("mutations", run.mutationId);
  if (mutation.state !== "awaiting_approval" && mutation.state !== "ready") return null;
  withdrawMutation(draft, mutation, { actor: "host", note });
  closeAttentions(draft, mutation.mutationId, { actor: "host", answer: "withdrawn" });
  closeAttentions(draft, run.runId, { actor: "host", answer: "withdrawn" });
  settleIntent(draft, run, "none");
  tendHeldRuns(draft);
  return null;
};

export type FailIntent = {
  readonly kind: "fail_intent";
  readonly mutationId: string;
  readonly note: string;
};

/** A recorded call that cannot be sent: its code is gone, or it is not what was recorded. */
export const failIntent: Rule<FailIntent> = (draft, { mutationId, note }) => {
  const mutation = draft.view.find("mutations", mutationId);
  if (!mutation) return refuse("mutation_not_found");
  if (mutation.state !== "ready") return refuse("mutation_not_ready");
  const run = runOf(draft, mutation);
  if (!isOfIntent(run)) return refuse("mutation_not_of_machine");
  withdrawMutation(draft, mutation, { actor: "host", note });
  settleIntent(draft, run, "none");
  return null;
};
