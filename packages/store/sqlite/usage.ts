import type { Spent, UsageOf } from "@holdfast/core";
import type { Connection } from "./connection.ts";
import { requireWorkflow } from "./load.ts";

/** Walks the part of the index that lies in the window. */
const usageSince = `
SELECT count(*), total(amount), min(recorded_at) FROM mutations
WHERE workflow = ?1 AND connection = ?2 AND operation = ?3 AND recorded_at > ?4
  AND state <> 'failed' AND (?5 IS NULL OR mutation_id <> ?5)`;

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
