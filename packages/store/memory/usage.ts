import { keyText, type Spent, type UsageOf } from "@holdfast/core";
import { keysOf } from "./indexes.ts";
import type { WorkflowState } from "./workflow-state.ts";

export function sumUsage({ indexes, tables }: WorkflowState, of: UsageOf): Spent {
  const name = keyText([of.connection, of.operation]);
  let spent: Spent = { count: 0, amount: 0, oldestAt: null };
  for (const key of keysOf(indexes, "mutationsByOperation", name)) {
    const row = tables.mutations.get(key);
    if (row === undefined || row.recordedAt <= of.after || row.mutationId === of.except) continue;
    spent = {
      count: spent.count + 1,
      amount: Math.min(spent.amount + (row.amount ?? 0), Number.MAX_SAFE_INTEGER),
      oldestAt: Math.min(spent.oldestAt ?? row.recordedAt, row.recordedAt),
    };
  }
  return spent;
}
