import { type Change, type ChargedTo, invariant, type Spent } from "@holdfast/core";
import type { Database } from "./connection.ts";
import type { RowStep } from "./row-statements.ts";

/** In the order of their names, so that two groups never wait for each other in a circle. */
const lockBudgets = `
SELECT FROM holdfast.budgets AS b
WHERE b.name IN (SELECT n.name FROM jsonb_to_recordset($1) AS n (name text))
ORDER BY b.name FOR NO KEY UPDATE`;

const moveBudget = `
UPDATE holdfast.budgets AS b SET version = b.version + 1
FROM jsonb_to_recordset($1) AS n (name text, version bigint)
WHERE b.name = n.name AND b.version = n.version`;

export const budgetMoved = "budget_moved";

/** First of all steps of a change: what others hold is waited for before anything is written. */
export function budgetSteps({ budgets }: Change): readonly RowStep[] {
  const own = { constraint: budgetMoved, touchedRow: null };
  return [
    ...budgets.map(({ name }) => ({ ...own, sql: lockBudgets, touches: null, row: { name } })),
    ...budgets.map(({ name, version }) => {
      return { ...own, sql: moveBudget, touches: 1 as const, row: { name, version } };
    }),
  ];
}

const sumOfAll = "SELECT * FROM holdfast.sum_budget_3($1, $2, $3, $4, $5)";
const sumOfRun = "SELECT * FROM holdfast.sum_run_budget_1($1, $2, $3, $4, $5, $6, $7)";

export async function sumBudget(
  database: Database,
  store: string,
  { budget, run, after, except }: ChargedTo,
): Promise<Spent & { readonly version: number }> {
  const { workflow = null, mutationId = null } = except ?? {};
  const sql = run === undefined ? sumOfAll : sumOfRun;
  const ofRun = run === undefined ? [] : [run.workflow, run.runId];
  const values = [store, budget, after, workflow, mutationId, ...ofRun];
  const found = await database.row("sum budget", sql, values);
  invariant(found !== undefined, "a sum of a budget is one row");
  const [version, count, amount, oldestAt] = found as [number, number, number, number | null];
  return { version, count, amount, oldestAt };
}
