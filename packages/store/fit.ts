import {
  type Change,
  type ColumnKind,
  isSoundText,
  type RowKey,
  type TableName,
  type TableShape,
  tables,
} from "@holdfast/core";
import type { ConstraintName } from "./constraint-names.ts";

/**
 * Judges what a change names before it is written, for every adapter alike. A database would let
 * some of it through changed: "7" becomes 7, broken text becomes U+FFFD and so somebody else's id.
 */

export type Misfit = {
  readonly constraint: Extract<ConstraintName, "column_known" | "value_fits_column">;
  readonly note: string;
};

type Values = Readonly<Record<string, unknown>>;

/** `whole` = an inserted row: a column that is missing counts as undefined. */
export function findMisfit(table: TableName, values: Values, whole: boolean): Misfit | null {
  if (whole && fitsWhole(table, values)) return null;
  const columns: Readonly<Record<string, ColumnKind>> = tables[table].columns;
  for (const column of Object.keys(values)) {
    const kind = Object.hasOwn(columns, column) ? columns[column] : undefined;
    if (kind === undefined) {
      return { constraint: "column_known", note: `${table} has no column ${column}` };
    }
    if (!fits(kind, values[column])) return misfit(table, column, kind);
  }
  if (!whole) return null;
  const missing = Object.keys(columns).find((column) => !Object.hasOwn(values, column));
  return missing === undefined ? null : misfit(table, missing, columns[missing]);
}

const columnLists = new Map(
  Object.entries(tables).map(([table, { columns }]) => [table, Object.entries(columns)]),
);

/** Most rows fit: then nobody has to find out what does not. */
function fitsWhole(table: TableName, values: Values): boolean {
  const columns = columnLists.get(table) ?? [];
  for (const [column, kind] of columns) if (!fits(kind, values[column])) return false;
  return Object.keys(values).length === columns.length;
}

export function findKeyMisfit<T extends TableName>(table: T, key: RowKey): Misfit | null {
  const { key: names, columns }: TableShape<T> = tables[table];
  for (const [index, column] of names.entries()) {
    if (!fits(columns[column], key[index])) return misfit(table, column, columns[column]);
  }
  return null;
}

/** A trace is kept at the place of its change's last fact, so there has to be one. */
function findTraceMisfit(change: Change): Misfit | null {
  const { trace, records, forgetTracesThrough: through } = change;
  if (through !== null && !Number.isSafeInteger(through)) return noTrace("forgetTracesThrough");
  if (trace === null) return null;
  if (!isText(trace.runId)) return noTrace("runId");
  if (!isText(trace.text)) return noTrace("text");
  if (!Number.isSafeInteger(trace.at)) return noTrace("at");
  return records.length === 0 ? noTrace("position") : null;
}

function findCountedMisfit({ counted = [] }: Change): Misfit | null {
  const isWhole = (value: unknown) => value === null || Number.isSafeInteger(value);
  for (const { readId, runId, connection, operation, at, amount, budget } of counted) {
    const texts = [readId, runId, connection, operation, ...(budget === null ? [] : [budget])];
    if (texts.every(isText) && Number.isSafeInteger(at) && isWhole(amount)) continue;
    return { constraint: "value_fits_column", note: "a counted read is not what it must be" };
  }
  return null;
}

function findKeptMisfit({ kept = [], forgetKept = [] }: Change): Misfit | null {
  for (const { chain, call, at, result } of kept) {
    const texts = [chain, call, ...(result === null ? [] : [result])];
    if (texts.every(isText) && Number.isSafeInteger(at)) continue;
    return { constraint: "value_fits_column", note: "a kept result is not what it must be" };
  }
  if (forgetKept.every(isText)) return null;
  return { constraint: "value_fits_column", note: "a retry chain is not what it must be" };
}

/** Of what travels with a change and is no fact. */
export function findAsideMisfit(change: Change): Misfit | null {
  return findTraceMisfit(change) ?? findCountedMisfit(change) ?? findKeptMisfit(change);
}

function noTrace(part: string): Misfit {
  return { constraint: "value_fits_column", note: `the ${part} of a trace is not what it must be` };
}

function misfit(table: TableName, column: string, kind: ColumnKind | undefined): Misfit {
  return { constraint: "value_fits_column", note: `${table}.${column} is no ${kind}` };
}

function fits(kind: ColumnKind, value: unknown): boolean {
  switch (kind) {
    case "text":
      return isText(value);
    case "text?":
      return value === null || isText(value);
    case "int":
      return Number.isSafeInteger(value);
    case "int?":
      return value === null || Number.isSafeInteger(value);
    case "flag":
      return typeof value === "boolean";
    case "list":
      return isList(value);
    case "list?":
      return value === null || isList(value);
    case "json":
      return isObject(value);
    case "json?":
      return value === null || isObject(value);
    case "payload":
      return isPayload(value);
    case "payload?":
      return value === null || isPayload(value);
  }
}

function isText(value: unknown): boolean {
  return typeof value === "string" && isSoundText(value);
}

function isList(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}

function isObject(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isPayload(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { hash, size, inline } = value;
  const isInline = inline === null || inline instanceof Uint8Array;
  return isText(hash) && Number.isSafeInteger(size) && isInline;
}
