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

/** The outcome is known: whatever held the run back is over, and `next` is what is left. */
export function advanceWithOutcome(draft: Draft, run: RunRow, outcome: MutationOutcome): void {
  if (run.status !== "active") draft.emit({ kind: "run_resumed", runId: run.runId, fresh: false });
  advance(draft, run, "mutated", outcome);
  draft.order({ kind: "run_phase", runId: run.runId, phase: "next" });
}
