import {
  type Hash,
  invariant,
  keyOf,
  keyText,
  type Loaded,
  type Need,
  type RowKey,
  type TableName,
  type TableRow,
} from "@holdfast/core";
import { unknownWorkflow } from "../store-errors.ts";
import type { StatementName } from "./boundary.ts";
import type { Database } from "./connection.ts";
import { raised, stateOf, storeError } from "./errors.ts";
import { decodeFound, type FoundRow } from "./found-row.ts";
import type { PostgresRow } from "./lent-connection.ts";

type Control = {
  readonly head: number;
  readonly hash: Hash;
  readonly at: number;
  readonly epoch: number;
};

/** `locked` = wait for whoever is still writing the workflow. */
export async function loadNeeds(
  database: Database,
  workflow: string,
  needs: readonly Need[],
  { locked }: { readonly locked: boolean },
): Promise<Loaded> {
  const sql = `SELECT * FROM holdfast.${locked ? "load_locked_9" : "load_9"}($1, $2)`;
  const values = [workflow, JSON.stringify(needs)];
  const [control, ...found] = await rowsOfWorkflow(database, workflow, {
    name: "load",
    sql,
    values,
  });
  invariant(control !== undefined, "load_9 begins with the control row");
  const { head, hash, at, epoch } = control[2] as Control;
  const { rows, absent } = collect(needs, found);
  return { workflow, head: { seq: head, hash, at }, epoch, rows, absent, needs };
}

/** Rows in the order they were asked for, each once. */
function collect(
  needs: readonly Need[],
  found: readonly PostgresRow[],
): Pick<Loaded, "rows" | "absent"> {
  const rows: TableRow[] = [];
  const absent: { table: TableName; key: RowKey }[] = [];
  const seen = new Set<string>();
  for (const [needNo, name, row] of found) {
    const table = name as TableName;
    if (row === null) {
      const need = needs[Number(needNo) - 1];
      invariant(need?.kind === "row", "only a row need finds nothing");
      const missed = `absent ${table} ${keyText(need.key)}`;
      if (!seen.has(missed)) absent.push({ table, key: need.key });
      seen.add(missed);
      continue;
    }
    const decoded = decodeFound(table, row as FoundRow);
    const key = `${table} ${keyOf(table, decoded)}`;
    if (!seen.has(key)) rows.push({ table, row: decoded } as TableRow);
    seen.add(key);
  }
  return { rows, absent };
}

type Statement = {
  readonly name: StatementName;
  readonly sql: string;
  readonly values: readonly unknown[];
};

/** For functions that say when nobody created the workflow. */
export async function rowsOfWorkflow(
  database: Database,
  workflow: string,
  { name, sql, values }: Statement,
): Promise<readonly PostgresRow[]> {
  try {
    return await database.send(name, sql, values);
  } catch (error) {
    if (stateOf(error) === raised.unknownWorkflow) throw unknownWorkflow(workflow);
    throw storeError(error, { place: database.place, doing: name });
  }
}

export async function requireWorkflow(
  database: Database,
  name: StatementName,
  workflow: string,
): Promise<void> {
  const sql = "SELECT 1 FROM holdfast.workflows WHERE id = $1";
  if ((await database.row(name, sql, [workflow])) === undefined) throw unknownWorkflow(workflow);
}
