import {
  type AnyListShape,
  type ListedTable,
  type ListName,
  type ListPlace,
  type ListQuery,
  listShapes,
  type Rows,
} from "@holdfast/core";
import { compareText } from "../text-order.ts";
import { giveRow } from "./stored-value.ts";
import type { WorkflowState } from "./workflow-state.ts";

export function listRows<L extends ListName>(
  state: WorkflowState,
  query: ListQuery<L>,
): readonly Rows[ListedTable<L>][] {
  const { table } = listShapes[query.list];
  return foundRows(state, query).map((row) => giveRow(table, row as never)) as never;
}

export function countRows(state: WorkflowState, query: ListQuery<ListName>): number {
  return foundRows(state, query).length;
}

type Row = Readonly<Record<string, unknown>>;

function foundRows(
  state: WorkflowState,
  { list, of, after, downTo, limit }: ListQuery<ListName>,
): readonly Row[] {
  const shape: AnyListShape = listShapes[list];
  const rows = state.tables[shape.table].values() as Iterable<Row>;
  const isListed = (row: Row) =>
    shape.of.every((column, index) => row[column] === of[index]) &&
    shape.only.every(({ column, values }) => values.includes(row[column] as string));
  return [...rows]
    .filter(isListed)
    .map((row) => ({ row, place: shape.order.map(({ column }) => row[column] as string) }))
    .filter(({ place }) => after === null || compare(shape, place, after) < 0)
    .filter(({ place }) => downTo === null || compare(shape, place, downTo) >= 0)
    .sort((left, right) => compare(shape, right.place, left.place))
    .slice(0, limit)
    .map(({ row }) => row);
}

function compare({ order }: AnyListShape, left: ListPlace, right: ListPlace): number {
  for (const [index, { numbered }] of order.entries()) {
    const [a, b] = [left[index], right[index]];
    if (a === b) continue;
    if (typeof a === "number" && typeof b === "number") return a - b;
    const [one, other] = [String(a), String(b)];
    return (numbered ? one.length - other.length : 0) || compareText(one, other);
  }
  return 0;
}
