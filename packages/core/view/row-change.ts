import type { Rows, Seq } from "./rows.ts";
import type { TableName } from "./tables.ts";

export type RowKey = readonly (string | number)[];

type Insert<T extends TableName> = {
  readonly op: "insert";
  readonly table: T;
  readonly row: Rows[T];
};
type Update<T extends TableName> = {
  readonly op: "update";
  readonly table: T;
  readonly key: RowKey;
  readonly set: Partial<Rows[T]>;
};
type Delete<T extends TableName> = {
  readonly op: "delete";
  readonly table: T;
  readonly key: RowKey;
};

/**
 * The one change that touches many rows: every consumed or skipped event of a topic becomes
 * pending again with attempt + 1 and this revision. One fact for a million events.
 */
export type ReopenTopic = {
  readonly op: "reopen_topic";
  readonly topic: string;
  readonly revision: Seq;
};
/** Forgets everything a producer kept under `ctx.kv`. */
export type ClearKv = { readonly op: "clear_kv"; readonly handler: string };

/**
 * What an adapter executes, in order. Inserting a row that exists, or updating or deleting one
 * that does not, is a broken invariant: the adapter refuses the whole change.
 */
export type RowChange =
  | { [T in TableName]: Insert<T> | Update<T> | Delete<T> }[TableName]
  | ReopenTopic
  | ClearKv;

export function insertRow<T extends TableName>(table: T, row: Rows[T]): RowChange {
  return { op: "insert", table, row } as RowChange;
}

export function updateRow<T extends TableName>(
  table: T,
  key: RowKey,
  set: Partial<Rows[T]>,
): RowChange {
  return { op: "update", table, key, set } as RowChange;
}

export function deleteRow(table: TableName, key: RowKey): RowChange {
  return { op: "delete", table, key } as RowChange;
}

/** One field after the other: to spread a second object takes ten times as long. */
export function changed<R extends object>(row: R, set: Partial<R>): R {
  const copy = { ...row };
  for (const column in set) copy[column] = set[column] as R[typeof column];
  return copy;
}
