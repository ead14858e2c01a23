import { type Draft, refuse } from "../journal/decision.ts";
import type { Refusal } from "../journal/refusal.ts";
import { isSettled, isUncertain } from "../mutation/ledger-state.ts";
import { invariant } from "../ports/invariant.ts";
import type { EventRow, MutationRow, RunRow } from "../view/rows.ts";
import type { View } from "../view/view.ts";

export function findOpenRun(view: View): RunRow | null {
  invariant(view.has({ kind: "base" }), "the open run was not loaded for this decision");
  for (const run of view.rows("runs")) if (run.open) return run;
  return null;
}

/** Events the run holds now, in the order they were published. */
export function heldEvents(view: View, runId: string): EventRow[] {
  const held: EventRow[] = [];
  for (const event of view.rows("events")) if (event.reservedBy === runId) held.push(event);
  return held.sort((a, b) => a.position - b.position);
}

export function mutationsOf(view: View, runId: string): MutationRow[] {
  const found: MutationRow[] = [];
  for (const mutation of view.rows("mutations")) {
    if (mutation.runId === runId) found.push(mutation);
  }
  return found.sort((a, b) => a.callNo - b.callNo);
}

/** A job's calls are recorded one after the other, and only the last one is loaded. */
export function nextCallNo(view: View, run: RunRow): number {
  const last = mutationsOf(view, run.runId).at(-1);
  return (last?.callNo ?? 0) + 1;
}

/** The run's mutation that is neither settled nor given up on; null = none. */
export function unsettledMutation(view: View, runId: string): MutationRow | null {
  return mutationsOf(view, runId).find(isUnsettled) ?? null;
}

export function isUnsettled({ state, resolution }: MutationRow): boolean {
  return !isSettled(state) && resolution?.kind !== "skip";
}

export function uncertainMutation(view: View, runId: string): MutationRow | null {
  const mutation = unsettledMutation(view, runId);
  return mutation && isUncertain(mutation.state) ? mutation : null;
}

/** The named run if it is open, or why nothing can be done with it. */
export function openRunNamed(draft: Draft, runId: string): RunRow | Refusal {
  const run = findOpenRun(draft.view);
  if (run?.runId === runId) return run;
  const known = draft.view.find("runs", runId);
  return known ? refuse("run_closed", `Run ${runId} has ended.`) : refuse("run_not_found");
}

export function activeRunNamed(draft: Draft, runId: string): RunRow | Refusal {
  const run = openRunNamed(draft, runId);
  if ("code" in run) return run;
  if (run.status === "active") return run;
  return refuse("run_not_active", `Run ${runId} is ${run.status}.`);
}
