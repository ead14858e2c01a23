import { type RowKey, type Rows, type TableName, type TableShape, tables } from "@holdfast/core";
import { compareText } from "../text-order.ts";
import { giveRow } from "./stored-value.ts";
import type { WorkflowState } from "./workflow-state.ts";

/** The rows of this moment in key order; what is committed later is not in them. */
export function rowsInKeyOrder<T extends TableName>(
  state: WorkflowState,
  table: T,
  under: RowKey,
): readonly Rows[T][] {
  const stored: Map<string, Rows[T]> = state.tables[table];
  const shape: TableShape<T> = tables[table];
  return [...stored.values()]
    .filter((row) =>
      under.every((value, index) => row[shape.key[index] as keyof Rows[T]] === value),
    )
    .sort((left, right) => compareKeys(shape.key, left, right))
    .map((row) => giveRow(table, row));
}

/** Column by column: numbers by size, text by code point. */
function compareKeys<R>(columns: readonly (keyof R)[], left: R, right: R): number {
  for (const column of columns) {
    const a = left[column];
    const b = right[column];
    if (a === b) continue;
    if (typeof a === "number" && typeof b === "number") return a - b;
    return compareText(String(a), String(b));
  }
  return 0;
}
