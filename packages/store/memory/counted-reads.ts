import { type Change, countedForMs, type ReadsOf, type Spent } from "@holdfast/core";
import type { WorkflowState } from "./workflow-state.ts";

export function keepCounted(state: WorkflowState, { counted = [] }: Change): void {
  for (const read of counted) {
    const known = state.countedReads.get(read.readId);
    const kept = known === undefined ? read : { ...known, amount: read.amount };
    state.countedReads.set(read.readId, Object.freeze({ ...kept }));
    for (const [readId, { connection, operation, at }] of state.countedReads) {
      const isLike = connection === read.connection && operation === read.operation;
      if (isLike && at < read.at - countedForMs) state.countedReads.delete(readId);
    }
  }
}

export function sumReads(state: WorkflowState, of: ReadsOf): Spent {
  let spent: Spent = { count: 0, amount: 0, oldestAt: null };
  for (const read of state.countedReads.values()) {
    if (read.connection !== of.connection || read.operation !== of.operation) continue;
    if (read.at <= of.after || (of.runId !== null && read.runId !== of.runId)) continue;
    spent = withRead(spent, read);
  }
  return spent;
}

export function withRead(
  spent: Spent,
  { amount, at }: { readonly amount: number | null; readonly at: number },
): Spent {
  return {
    count: spent.count + 1,
    amount: Math.min(spent.amount + (amount ?? 0), Number.MAX_SAFE_INTEGER),
    oldestAt: Math.min(spent.oldestAt ?? at, at),
  };
}
