import type { EndedTime, Spent, UsageOf } from "@holdfast/core";
import { countsFrom } from "./budgets.ts";
import type { Connection } from "./connection.ts";
import { requireWorkflow } from "./load.ts";

const inWindow = `workflow = ?1 AND connection = ?2 AND operation = ?3 AND ${countsFrom} > ?4`;

/**
 * All that lies in the window but what failed, from two indexes: one over what has not failed would
 * be written anew with each state of each call. Left out and not subtracted: beside what is large
 * enough, a sum that is taken off again takes small ones with it.
 */
const usageSince = `
SELECT count(*), total(amount), min(${countsFrom})
FROM mutations INDEXED BY mutations_by_operation
WHERE ${inWindow} AND (?5 IS NULL OR mutation_id <> ?5) AND mutation_id NOT IN (
  SELECT mutation_id FROM mutations INDEXED BY mutations_failed
  WHERE ${inWindow} AND state = 'failed')`;

export function sumUsage(
  connection: Connection,
  workflow: string,
  { connection: of, operation, after, except }: UsageOf,
): Spent {
  requireWorkflow(connection, workflow);
  const [count, amount, oldestAt] =
    connection.row(usageSince, workflow, of, operation, after, except) ?? [];
  return {
    count: Number(count),
    // A sum of integers would fail where it is too large; a total is exact where it matters.
    amount: Math.min(Number(amount), Number.MAX_SAFE_INTEGER),
    oldestAt: typeof oldestAt === "number" ? oldestAt : null,
  };
}

const activeSince = `
SELECT total(active_ms), min(ended_at) FROM runs INDEXED BY runs_active
WHERE workflow = ?1 AND ended_at > ?2 AND active_ms > 0`;

export function sumActive(connection: Connection, workflow: string, after: number): EndedTime {
  requireWorkflow(connection, workflow);
  const [activeMs, oldestAt] = connection.row(activeSince, workflow, after) ?? [];
  return {
    activeMs: Math.min(Number(activeMs), Number.MAX_SAFE_INTEGER),
    oldestAt: typeof oldestAt === "number" ? oldestAt : null,
  };
}
