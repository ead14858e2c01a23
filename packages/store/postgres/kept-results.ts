import { type Change, countedForMs, type KeptOf, type KeptResult } from "@holdfast/core";
import type { Database } from "./connection.ts";
import { rowsOfWorkflow } from "./load.ts";
import type { RowStep } from "./row-statements.ts";

const keepResult = `
INSERT INTO holdfast.kept_results (workflow, chain, call, at, result)
SELECT workflow, chain, call, at, result FROM jsonb_to_recordset($1)
  AS n (workflow text, chain text, call text, at bigint, result text)
ON CONFLICT (workflow, chain, call) DO UPDATE SET at = excluded.at, result = excluded.result`;

const forgetOld = `
DELETE FROM holdfast.kept_results AS t
USING jsonb_to_recordset($1) AS n (workflow text, before bigint)
WHERE t.workflow = n.workflow AND t.at < n.before`;

const forgetChain = `
DELETE FROM holdfast.kept_results AS t
USING jsonb_to_recordset($1) AS n (workflow text, chain text)
WHERE t.workflow = n.workflow AND t.chain = n.chain`;

/** Steps of the change itself: whoever is no longer the owner keeps and forgets nothing. */
export function keptSteps({ workflow, kept = [], forgetKept = [] }: Change): readonly RowStep[] {
  const own = { constraint: "row_exists", touchedRow: null } as const;
  return [
    ...kept.flatMap(({ chain, call, at, result }): readonly RowStep[] => {
      const row = { workflow, chain, call, at, result };
      const old = { workflow, before: at - countedForMs };
      return [
        { ...own, sql: keepResult, touches: 1, row },
        { ...own, sql: forgetOld, touches: null, row: old },
      ];
    }),
    ...forgetKept.map((chain): RowStep => {
      return { ...own, sql: forgetChain, touches: null, row: { workflow, chain } };
    }),
  ];
}

export async function findKept(
  database: Database,
  workflow: string,
  { chain, call }: KeptOf,
): Promise<KeptResult | null> {
  const sql = "SELECT * FROM holdfast.find_kept_1($1, $2, $3)";
  const values = [workflow, chain, call];
  const [found] = await rowsOfWorkflow(database, workflow, { name: "find kept", sql, values });
  if (found === undefined) return null;
  const [at, result] = found as [number, string | null];
  return { chain, call, at: Number(at), result };
}
