import type { SignedWord } from "../frame/machine-input.ts";
import { isOfIntent } from "../intent/intent-run.ts";
import { settleIntent } from "../intent/settle-intent.ts";
import { answerItem, giveUpItem } from "../item/item-of-mutation.ts";
import type { Draft } from "../journal/decision.ts";
import type { MutationOutcome, RunRow } from "../view/rows.ts";
import type { RunPhase } from "./run-phase.ts";

export function advance(
  draft: Draft,
  run: RunRow,
  phase: RunPhase,
  outcome: MutationOutcome | null = null,
): void {
  draft.emit({ kind: "run_advanced", runId: run.runId, phase, outcome });
}

/**
 * The outcome is known: whatever held the run back is over, and `next` is what is left. A job goes
 * on with its item, or without it; a machine is told.
 */
export function advanceWithOutcome(
  draft: Draft,
  run: RunRow,
  outcome: MutationOutcome,
  signed?: SignedWord,
): void {
  if (isOfIntent(run)) return settleIntent(draft, run, outcome, signed);
  if (run.status !== "active") draft.emit({ kind: "run_resumed", runId: run.runId, fresh: false });
  if (run.kind === "job") {
    const { mutationId } = draft.view.load("runs", run.runId);
    const mutation = mutationId === null ? null : draft.view.load("mutations", mutationId);
    const actor = mutation?.resolution?.actor ?? "host";
    if (mutation && outcome === "skipped") giveUpItem(draft, mutation, actor);
    else if (mutation) answerItem(draft, mutation, actor);
    draft.order({ kind: "run_phase", runId: run.runId, phase: "handler" });
    return;
  }
  advance(draft, run, "mutated", outcome);
  draft.order({ kind: "run_phase", runId: run.runId, phase: "next" });
}
