import { type IntentOutcome, pinInput, type SignedWord } from "../frame/machine-input.ts";
import { answerItem, giveUpItem } from "../item/item-of-mutation.ts";
import type { Draft } from "../journal/decision.ts";
import { invariant } from "../ports/invariant.ts";
import type { MutationOutcome, RunRow } from "../view/rows.ts";
import { openIntentRuns } from "./intent-run.ts";

/**
 * The ledger is done with the intent's call, and the machine is told in its turn: what happened is
 * in the row, and nothing is sent again of itself.
 */
export function settleIntent(
  draft: Draft,
  { runId }: RunRow,
  outcome: MutationOutcome,
  signed?: SignedWord,
): void {
  const run = draft.view.load("runs", runId);
  const { mutationId, itemId: intentId } = run;
  invariant(mutationId !== null && intentId !== null, "an intent's run has its call");
  const mutation = draft.view.load("mutations", mutationId);
  const actor = mutation.resolution?.actor ?? "host";
  if (run.status !== "active") draft.emit({ kind: "run_resumed", runId, fresh: false });
  if (outcome === "skipped") giveUpItem(draft, mutation, actor);
  else answerItem(draft, mutation, actor);
  const told = { kind: "outcome", intentId, mutationId, failure: null } as const;
  const body = pinInput(draft, signed === undefined ? told : { ...told, signed });
  const itemStatus = outcome === "skipped" ? null : outcome === "applied" ? "done" : "failed";
  draft.emit({ kind: "intent_settled", runId, intentId, outcome, itemStatus, body });
  for (const joined of openIntentRuns(draft.view)) {
    if (joined.rootRunId === runId) settleJoined(draft, joined, { outcome, mutationId });
  }
}

type EndOfJoined = Partial<Pick<IntentOutcome, "mutationId" | "failure">> & {
  readonly outcome: MutationOutcome;
};

/** An intent without a call of its own: what came of another's, or why it does not wait for it. */
export function settleJoined(
  draft: Draft,
  { runId, itemId: intentId }: RunRow,
  { outcome, mutationId = null, failure = null }: EndOfJoined,
): void {
  invariant(intentId !== null, "an intent's run has its intent");
  const body = pinInput(draft, { kind: "outcome", intentId, mutationId, failure });
  const itemStatus = outcome === "applied" ? "done" : "failed";
  draft.emit({ kind: "intent_settled", runId, intentId, outcome, itemStatus, body });
}
