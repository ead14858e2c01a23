import { type EndedTime, keyText, type Spent, type UsageOf } from "@holdfast/core";
import { countsFrom } from "./budgets.ts";
import { inIndex, keysOf } from "./indexes.ts";
import type { WorkflowState } from "./workflow-state.ts";

export function sumUsage({ indexes, tables }: WorkflowState, of: UsageOf): Spent {
  const name = keyText([of.connection, of.operation]);
  let spent: Spent = { count: 0, amount: 0, oldestAt: null };
  for (const key of keysOf(indexes, "mutationsByOperation", name)) {
    const row = tables.mutations.get(key);
    if (row === undefined || row.mutationId === of.except) continue;
    const at = countsFrom(row);
    if (at <= of.after) continue;
    spent = {
      count: spent.count + 1,
      amount: Math.min(spent.amount + (row.amount ?? 0), Number.MAX_SAFE_INTEGER),
      oldestAt: Math.min(spent.oldestAt ?? at, at),
    };
  }
  return spent;
}

export function sumActive({ indexes, tables }: WorkflowState, after: number): EndedTime {
  let ran: EndedTime = { activeMs: 0, oldestAt: null };
  for (const key of keysOf(indexes, "endedRuns", inIndex)) {
    const row = tables.runs.get(key);
    if (row === undefined || row.endedAt === null || row.endedAt <= after) continue;
    ran = {
      activeMs: Math.min(ran.activeMs + row.activeMs, Number.MAX_SAFE_INTEGER),
      oldestAt: Math.min(ran.oldestAt ?? row.endedAt, row.endedAt),
    };
  }
  return ran;
}
