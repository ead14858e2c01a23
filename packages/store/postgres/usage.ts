import { type EndedTime, invariant, type Spent, type UsageOf } from "@holdfast/core";
import type { Database } from "./connection.ts";
import { rowsOfWorkflow } from "./load.ts";

export async function sumUsage(
  database: Database,
  workflow: string,
  { connection, operation, after, except }: UsageOf,
): Promise<Spent> {
  const sql = "SELECT * FROM holdfast.sum_usage_2($1, $2, $3, $4, $5)";
  const values = [workflow, connection, operation, after, except];
  const [found] = await rowsOfWorkflow(database, workflow, { name: "sum usage", sql, values });
  invariant(found !== undefined, "sum_usage_2 answers one row");
  const [count, amount, oldestAt] = found as [number, number, number | null];
  return { count, amount, oldestAt };
}

export async function sumActive(
  database: Database,
  workflow: string,
  after: number,
): Promise<EndedTime> {
  const sql = "SELECT * FROM holdfast.sum_active_1($1, $2)";
  const values = [workflow, after];
  const [found] = await rowsOfWorkflow(database, workflow, { name: "sum active", sql, values });
  invariant(found !== undefined, "sum_active_1 answers one row");
  const [activeMs, oldestAt] = found as [number, number | null];
  return { activeMs, oldestAt };
}
