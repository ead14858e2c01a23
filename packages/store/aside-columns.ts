import { type AsideRow, type AsideTable, asideShapes } from "@holdfast/core";
import type { SqlValue } from "./columns.ts";

/** A store that never had a brake has a row of it on one database, and none on the other. */
export function isNothing(table: AsideTable, row: AsideRow): boolean {
  return table === "store_brake" && row["command_id"] === null;
}

export function asideRow(table: AsideTable, values: readonly SqlValue[]): AsideRow {
  const { columns } = asideShapes[table];
  return Object.fromEntries(columns.map((name, index) => [name, values[index] ?? null]));
}

/** In the order of the columns. */
export function asideValues(table: AsideTable, row: AsideRow): readonly SqlValue[] {
  return asideShapes[table].columns.map((name) => row[name] ?? null);
}
