import { isDeepStrictEqual } from "node:util";
import {
  HostError,
  keyOf,
  type Rows,
  type Seq,
  type Store,
  type TableName,
  tableNames,
} from "@holdfast/core";
import { type Folded, rowName } from "./fold-journal.ts";
import type { Problem } from "./verify-report.ts";

/** Reported at most, the earliest in the journal first. */
const differencesMax = 100;

export async function compareTables(
  store: Store,
  workflow: string,
  folded: Folded,
): Promise<{ rowCount: number; problems: Problem[] }> {
  const problems: Problem[] = [];
  let rowCount = 0;
  for (const table of tableNames) {
    try {
      rowCount += await compareTable(store, workflow, folded, table, problems);
    } catch (error) {
      problems.push(unreadable(folded, table, error));
    }
  }
  problems.sort((a, b) => a.position - b.position);
  return { rowCount, problems: problems.slice(0, differencesMax) };
}

/** A row nobody can read any more; which one cannot be said. */
function unreadable({ view }: Folded, table: TableName, error: unknown): Problem {
  if (!(error instanceof HostError) || error.code !== "TABLES_DIFFER") throw error;
  const { workflow, head } = view;
  return {
    code: error.code,
    workflow,
    position: head.seq,
    note: `${table}: a row cannot be read, ${String(error.details["found"] ?? "")}`,
  };
}

async function compareTable<T extends TableName>(
  store: Store,
  workflow: string,
  folded: Folded,
  table: T,
  problems: Problem[],
): Promise<number> {
  const expected = new Map<string, Rows[T]>();
  for (const row of folded.view.rows(table)) expected.set(keyOf(table, row), row);
  const report = (key: string, note: string) => {
    const position: Seq = folded.touched.get(rowName(table, key)) ?? folded.from;
    const name = `${table} ${key.replaceAll("\u0000", " ")}`.trim();
    problems.push({ code: "TABLES_DIFFER", workflow, position, note: `${name}: ${note}` });
  };
  let rowCount = 0;
  for await (const row of store.scan(workflow, table)) {
    rowCount += 1;
    const key = keyOf(table, row);
    const should = expected.get(key);
    expected.delete(key);
    if (!should) report(key, "the row is there, but no record made it");
    else if (!isDeepStrictEqual(row, should)) report(key, difference(row, should));
  }
  for (const key of expected.keys()) report(key, "the row is missing");
  return rowCount;
}

function difference(found: object, should: object): string {
  const is = found as Record<string, unknown>;
  for (const [column, value] of Object.entries(should)) {
    if (isDeepStrictEqual(is[column], value)) continue;
    return `${column} is ${show(is[column])}, the journal says ${show(value)}`;
  }
  return "it has columns the journal does not know";
}

function show(value: unknown): string {
  const text = JSON.stringify(value, (_, inner) =>
    inner instanceof Uint8Array ? `bytes ${Buffer.from(inner).toString("hex")}` : inner,
  );
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
