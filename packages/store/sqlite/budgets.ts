import type { BudgetVersion, ChargedTo, Spent } from "@holdfast/core";
import type { Connection } from "./connection.ts";
import { sumReadsOf } from "./counted-reads.ts";
import { ChangeRefused } from "./row-statements.ts";

/** As the indexes have it. Of an older row only the first send is known. */
export const countsFrom = "coalesce(counted_at, first_sent_at, recorded_at)";

/** Walks the part of the index that lies in the window. */
const chargedSince = `
SELECT count(*), total(amount), min(${countsFrom}) FROM mutations
WHERE budget = ?1 AND ${countsFrom} > ?2
  AND budget IS NOT NULL AND state <> 'failed'
  AND (?4 IS NULL OR workflow <> ?3 OR mutation_id <> ?4)`;

/** The run's own calls: few, but for those of a job. */
const chargedByRun = `
SELECT count(*), total(amount), min(${countsFrom}) FROM mutations INDEXED BY mutations_by_run
WHERE workflow = ?5 AND run_id = ?6 AND budget = ?1 AND ${countsFrom} > ?2 AND state <> 'failed'
  AND (?4 IS NULL OR workflow <> ?3 OR mutation_id <> ?4)`;

export function sumBudget(
  connection: Connection,
  of: ChargedTo,
): Spent & { readonly version: number } {
  const { budget, run, after, except } = of;
  const { workflow = null, mutationId = null } = except ?? {};
  const given = [budget, after, workflow, mutationId];
  const [count, amount, oldestAt] =
    (run === undefined
      ? connection.row(chargedSince, ...given)
      : connection.row(chargedByRun, ...given, run.workflow, run.runId)) ?? [];
  const reads = sumReadsOf(connection, of);
  const calledAt = typeof oldestAt === "number" ? oldestAt : null;
  return {
    version: versionOf(connection, budget),
    count: Number(count) + reads.count,
    amount: Math.min(Number(amount) + reads.amount, Number.MAX_SAFE_INTEGER),
    oldestAt: calledAt === null ? reads.oldestAt : Math.min(calledAt, reads.oldestAt ?? calledAt),
  };
}

/** Nothing was ever charged to one that has no row. */
function versionOf(connection: Connection, name: string): number {
  return Number(connection.row("SELECT version FROM budgets WHERE name = ?", name)?.[0] ?? 0);
}

const moveOn = `
INSERT INTO budgets (name, version) VALUES (?, ?)
ON CONFLICT (name) DO UPDATE SET version = excluded.version`;

/** Of the change that is written: it is taken back whole if one has moved. */
export function moveBudgets(connection: Connection, budgets: readonly BudgetVersion[]): void {
  for (const { name, version } of budgets) {
    const now = versionOf(connection, name);
    if (now !== version) {
      throw new ChangeRefused(budgetMoved, `${name} is at ${now}, and not at ${version}`);
    }
    connection.run(moveOn, name, version + 1);
  }
}

export const budgetMoved = "budget_moved";
