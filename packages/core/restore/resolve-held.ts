import { closeAttentions } from "../attention/attend.ts";
import { type Draft, refuse } from "../journal/decision.ts";
import type { Refusal } from "../journal/refusal.ts";
import { runOf } from "../mutation/find-mutations.ts";
import { type Answer, noteOf } from "../mutation/resolve-mutation.ts";
import { withdrawMutation } from "../mutation/withdraw-mutation.ts";
import { invariant } from "../ports/invariant.ts";
import { advanceWithOutcome } from "../run/advance.ts";
import { pinPayload } from "../view/payload.ts";
import type { MutationRow, Resolution } from "../view/rows.ts";

/** A person's word on a call that waits because the store was restored. */
export function resolveHeld(
  draft: Draft,
  mutation: MutationRow,
  { answer, actor }: { readonly answer: Answer; readonly actor: string },
): Refusal | null {
  const { mutationId } = mutation;
  const run = runOf(draft, mutation);
  const note = noteOf(actor, answer);
  switch (answer.says) {
    case "send": {
      const { storeIncarnation } = draft.view.load("workflows");
      invariant(storeIncarnation !== null, "a call is held in a store that was noted");
      const resolution: Resolution = { kind: "send", actor, at: draft.now, storeIncarnation };
      draft.emit({ kind: "mutation_cleared", mutationId, resolution });
      const { runId } = run;
      if (run.status !== "active") draft.emit({ kind: "run_resumed", runId, fresh: true });
      break;
    }
    case "happened":
      settleHappened(draft, mutation, { result: answer.result, actor, note });
      advanceWithOutcome(draft, run, "applied");
      break;
    case "skip":
      withdrawMutation(draft, mutation, { actor, note, kind: "skip" });
      advanceWithOutcome(draft, run, "skipped");
      break;
    case "try_again":
    case "did_not_happen":
      return refuse("mutation_not_uncertain");
  }
  closeAttentions(draft, mutationId, { actor, answer: answer.says });
  return null;
}

/** It was sent by the time that is forgotten: the ledger takes that in, and then its outcome. */
function settleHappened(
  draft: Draft,
  { mutationId }: MutationRow,
  by: { readonly result: Uint8Array | null; readonly actor: string; readonly note: string },
): void {
  draft.emit({ kind: "mutation_presumed_sent", mutationId });
  const pinned = by.result === null ? null : pinPayload(by.result);
  draft.store(pinned?.blob ?? null);
  draft.emit({
    kind: "mutation_applied",
    mutationId,
    result: pinned?.payload ?? null,
    evidence: { kind: "answer", says: "applied", note: by.note, body: null },
    resolution: { kind: "happened", actor: by.actor, at: draft.now },
  });
}
