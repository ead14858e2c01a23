import { closeAttentions } from "../attention/attend.ts";
import { openIntentRuns } from "../intent/intent-run.ts";
import { type Draft, refuse } from "../journal/decision.ts";
import type { Refusal } from "../journal/refusal.ts";
import { withdrawMutation } from "../mutation/withdraw-mutation.ts";
import { assertNever } from "../ports/invariant.ts";
import { unsettledMutation } from "../run/find-runs.ts";
import { orderRetry, retryFrom } from "../run/order-retry.ts";
import { isPaused } from "../run/run-status.ts";
import type { MutationRow } from "../view/rows.ts";
import { runInItem } from "./find-items.ts";
import type { ItemRow } from "./item-row.ts";

type Said = { readonly actor: string; readonly answer: string };

/** The run that stopped in the item waits for nothing else now: it goes on, from its top. */
export function goOnWithItem(draft: Draft, itemId: string, said: Said): void {
  const run = runInItem(draft.view, itemId);
  if (run === null || run.retryFrom !== null) return;
  closeAttentions(draft, run.runId, said);
  if (isPaused(run.status)) draft.emit({ kind: "run_resumed", runId: run.runId, fresh: true });
  else if (run.status !== "active") orderRetry(draft, run, retryFrom(draft.view, run));
}

/** Why a person cannot decide over the item now, or null once its open call is let go of. */
export function letGoOfCall(draft: Draft, item: ItemRow, said: Said): Refusal | null {
  if (openIntentRuns(draft.view).some(({ itemId }) => itemId === item.itemId)) {
    return refuse("item_is_processing", `${item.itemId} is a machine's: cancel the intent.`);
  }
  const run = runInItem(draft.view, item.itemId);
  if (run !== null) {
    if (run.status === "active") return refuse("item_is_processing", `Run ${run.runId} is at it.`);
    const mutation = unsettledMutation(draft.view, run.runId);
    const bad = mutation && letGo(draft, mutation, said);
    if (bad) return bad;
  }
  if (item.mutationId !== null) closeAttentions(draft, item.mutationId, said);
  return null;
}

/** What may have happened is given up on as unknown; what was never sent is taken back. */
function letGo(draft: Draft, mutation: MutationRow, said: Said): Refusal | null {
  const { mutationId, state } = mutation;
  const { actor, answer } = said;
  switch (state) {
    case "awaiting_approval":
    case "ready":
      withdrawMutation(draft, mutation, { actor, note: `${actor} answered: ${answer}` });
      break;
    case "in_flight":
    case "needs_reconcile":
      return refuse("run_waits_for_outcome", `Mutation ${mutationId} is ${state}.`);
    case "indeterminate": {
      // Whoever is done with it repeats nothing; a new attempt would go out beside the old call.
      if (answer === "reprocess" && draft.now < (mutation.quietFrom ?? 0)) {
        return refuse("host_may_still_be_sending", `Mutation ${mutationId} is ${state}.`);
      }
      const resolution = { kind: "skip", actor, at: draft.now } as const;
      draft.emit({ kind: "mutation_skipped", mutationId, resolution });
      draft.note = "done; if the call did happen, it may now be made twice";
      break;
    }
    case "applied":
    case "failed":
      break;
    default:
      return assertNever(state, "an item's call");
  }
  closeAttentions(draft, mutationId, said);
  return null;
}
