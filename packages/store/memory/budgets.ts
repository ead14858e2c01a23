import type { BudgetVersion, ChargedTo, Instant, MutationRow, Spent } from "@holdfast/core";
import { withRead } from "./counted-reads.ts";
import type { WorkflowState } from "./workflow-state.ts";

/** How far each budget has moved; what is not here was never charged. */
export type Budgets = Map<string, number>;

export function sumBudget(
  workflows: ReadonlyMap<string, WorkflowState>,
  budgets: Budgets,
  { budget, run, after, except }: ChargedTo,
): Spent & { readonly version: number } {
  let spent: Spent = { count: 0, amount: 0, oldestAt: null };
  for (const [workflow, { tables, countedReads }] of workflows) {
    if (run !== undefined && run.workflow !== workflow) continue;
    for (const row of tables.mutations.values()) {
      if (run !== undefined && run.runId !== row.runId) continue;
      const at = countsFrom(row);
      const isOwn = workflow === except?.workflow && row.mutationId === except.mutationId;
      if (row.budget !== budget || row.state === "failed" || at <= after || isOwn) continue;
      spent = withRead(spent, { amount: row.amount, at });
    }
    for (const read of countedReads.values()) {
      if (run !== undefined && run.runId !== read.runId) continue;
      if (read.budget === budget && read.at > after) spent = withRead(spent, read);
    }
  }
  return { ...spent, version: budgets.get(budget) ?? 0 };
}

/** Of an older row only the first send is known. */
export function countsFrom({ countedAt, firstSentAt, recordedAt }: MutationRow): Instant {
  return countedAt ?? firstSentAt ?? recordedAt;
}

export function haveMoved(budgets: Budgets, expected: readonly BudgetVersion[]): boolean {
  return expected.some(({ name, version }) => (budgets.get(name) ?? 0) !== version);
}

export function moveBudgets(budgets: Budgets, expected: readonly BudgetVersion[]): void {
  for (const { name, version } of expected) budgets.set(name, version + 1);
}
