import { closeAttentions, openAttention } from "../attention/attend.ts";
import { type Draft, type Rule, refuse } from "../journal/decision.ts";
import { advanceWithOutcome } from "../run/advance.ts";
import type { MutationRow } from "../view/rows.ts";
import { operationOf, runOf } from "./find-mutations.ts";
import { isSettled } from "./ledger-state.ts";
import type { Evidence } from "./mutation-facts.ts";
import { emitApplied } from "./settle-mutation.ts";

export type RecordLateAnswer = {
  readonly kind: "record_late_answer";
  readonly mutationId: string;
  readonly says: "applied" | "failed" | "unknown";
  readonly result: Uint8Array | null;
  readonly note: string;
};

/**
 * An answer that came after the host had stopped waiting for it. Proof of success settles a row
 * that is still open, also one that is being sent again: that is the same change under the same
 * key, and whatever comes of the second request, it has happened. A settled row never changes: a
 * contradiction is kept as evidence, a person is told, and the operation is braked until they
 * have looked.
 */
export const recordLateAnswer: Rule<RecordLateAnswer> = (draft, command) => {
  const mutation = draft.view.find("mutations", command.mutationId);
  if (!mutation) return refuse("mutation_not_found");
  const { state, resolution } = mutation;
  if (state === "awaiting_approval" || state === "ready") return refuse("mutation_not_uncertain");
  const evidence: Evidence = { kind: "late", says: command.says, note: command.note, body: null };
  if (!isSettled(state) && resolution?.kind !== "skip" && command.says === "applied") {
    emitApplied(draft, mutation, command.result, evidence);
    closeAttentions(draft, mutation.mutationId, { actor: "host", answer: "late proof" });
    advanceWithOutcome(draft, runOf(draft, mutation), "applied");
    return null;
  }
  draft.emit({ kind: "evidence_recorded", mutationId: mutation.mutationId, evidence });
  const gaveUp = state === "failed" || resolution?.kind === "skip";
  if (gaveUp && command.says === "applied") raiseContradiction(draft, mutation, command.note);
  return null;
};

function raiseContradiction(draft: Draft, mutation: MutationRow, note: string): void {
  const operation = operationOf(mutation);
  const how = mutation.state === "failed" ? "recorded as failed" : "skipped";
  const text = `${operation} on ${mutation.target} was ${how} but happened after all: ${note}`;
  openAttention(draft, "happened_after_all", mutation.mutationId, text);
  if (draft.view.find("brakes", operation)) return;
  draft.emit({ kind: "brake_set", operation, reason: text, actor: "host" });
}
