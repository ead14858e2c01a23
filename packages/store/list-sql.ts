import {
  type AnyListShape,
  type ListName,
  type ListPlace,
  type ListQuery,
  listShapes,
} from "@holdfast/core";
import { type SqlValue, sqlName, tableCodecs } from "./columns.ts";

/** How one database writes it. */
export type ListDialect = {
  readonly table: (name: string) => string;
  /** Stands for the value of that number, from 1. */
  readonly value: (no: number) => string;
};

export type ListSql = { readonly sql: string; readonly values: readonly SqlValue[] };

/** One page in the order of an index: nothing is sorted, and nothing else is read. */
export function listSql(query: ListQuery<ListName>, dialect: ListDialect): ListSql {
  const { table } = listShapes[query.list];
  const columns = tableCodecs[table].columns.map(({ name }) => `"${name}"`).join(", ");
  return pageSql(query, dialect, columns);
}

export function countSql(query: ListQuery<ListName>, dialect: ListDialect): ListSql {
  const { sql, values } = pageSql(query, dialect, "1");
  return { sql: `SELECT count(*) FROM (${sql}) AS page`, values };
}

function pageSql(query: ListQuery<ListName>, dialect: ListDialect, columns: string): ListSql {
  const shape: AnyListShape = listShapes[query.list];
  const values: SqlValue[] = [];
  const given = (value: SqlValue) => dialect.value(values.push(value));
  const order = shape.order.flatMap(({ column, numbered }) => {
    const name = `"${sqlName(column)}"`;
    return numbered ? [`length(${name})`, name] : [name];
  });
  const bound = (sign: "<" | ">=", place: ListPlace | null) => {
    if (place === null) return [];
    return [`(${order.join()}) ${sign} (${placeValues(shape, place).map(given).join()})`];
  };
  const conditions = [
    `workflow = ${given(query.workflow)}`,
    ...shape.of.map((column, index) => `"${sqlName(column)}" = ${given(query.of[index] ?? null)}`),
    ...onlyConditions(shape),
    ...bound("<", query.after),
    ...bound(">=", query.downTo),
  ];
  const sql = `SELECT ${columns} FROM ${dialect.table(shape.table)}
    WHERE ${conditions.join(" AND ")}
    ORDER BY ${order.map((name) => `${name} DESC`).join()} LIMIT ${given(query.limit)}`;
  return { sql, values };
}

/** In the words of the index: that is how a database knows that the index holds all of them. */
function onlyConditions({ only }: AnyListShape): readonly string[] {
  return only.map(({ column, values }) => {
    const each = values.map((value) => `${sqlName(column)} = ${literal(value)}`);
    return each.length === 1 ? each.join() : `(${each.join(" OR ")})`;
  });
}

function literal(value: string | number | boolean): string {
  return typeof value === "string" ? `'${value}'` : String(Number(value));
}

function placeValues({ order }: AnyListShape, place: ListPlace): readonly SqlValue[] {
  return order.flatMap(({ numbered }, index) => {
    const value = place[index] ?? null;
    return numbered && value !== null ? [[...String(value)].length, value] : [value];
  });
}
