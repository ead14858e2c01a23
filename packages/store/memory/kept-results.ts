import { type Change, countedForMs, type KeptOf, type KeptResult } from "@holdfast/core";
import type { WorkflowState } from "./workflow-state.ts";

export function keepResults(state: WorkflowState, { kept = [], forgetKept = [] }: Change): void {
  for (const { chain, call, at, result } of kept) {
    state.keptResults.set(nameOf({ chain, call }), Object.freeze({ chain, call, at, result }));
    forget(state, (each) => each.at < at - countedForMs);
  }
  for (const chain of forgetKept) forget(state, (each) => each.chain === chain);
}

export function findKept(state: WorkflowState, of: KeptOf): KeptResult | null {
  return state.keptResults.get(nameOf(of)) ?? null;
}

function forget({ keptResults }: WorkflowState, isOver: (kept: KeptResult) => boolean): void {
  for (const [name, kept] of keptResults) if (isOver(kept)) keptResults.delete(name);
}

function nameOf({ chain, call }: KeptOf): string {
  return JSON.stringify([chain, call]);
}
