import { type ColumnKind, type Payload, type Rows, type TableName, tables } from "@holdfast/core";

/**
 * What crosses the border of the store. Rows are kept frozen, so that they can be handed out as
 * they are; only bytes, which JavaScript cannot freeze, are copied on the way in and out.
 */

/** Not `slice`: on a Buffer, which is a Uint8Array too, that would share the memory. */
export function copyBytes(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes);
}

export function keepRow<T extends TableName>(table: T, row: Rows[T]): Rows[T] {
  return Object.freeze(keepColumns(table, row)) as Rows[T];
}

export function keepUpdate<T extends TableName>(
  table: T,
  before: Rows[T],
  set: Partial<Rows[T]>,
): Rows[T] {
  return Object.freeze({ ...before, ...keepColumns(table, set) }) as Rows[T];
}

/** Only the columns of the table: what a database would not keep is not kept here either. */
function keepColumns<T extends TableName>(table: T, values: Partial<Rows[T]>): Partial<Rows[T]> {
  const kept: Record<string, unknown> = {};
  const columns: Readonly<Record<string, ColumnKind>> = tables[table].columns;
  const given = values as Readonly<Record<string, unknown>>;
  for (const [column, kind] of Object.entries(columns)) {
    if (!(column in given)) continue;
    kept[column] = isPayload(kind) ? keepPayload(given[column]) : freeze(given[column]);
  }
  return kept as Partial<Rows[T]>;
}

export function giveRow<T extends TableName>(table: T, row: Rows[T]): Rows[T] {
  let given: Record<string, unknown> | null = null;
  for (const column of payloadColumns[table] ?? []) {
    const payload = (row as Readonly<Record<string, unknown>>)[column] as Payload | null;
    if (payload === null || payload.inline === null) continue;
    given ??= { ...row };
    given[column] = keepPayload(payload);
  }
  return given === null ? row : (Object.freeze(given) as Rows[T]);
}

const payloadColumns: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(tables).map(([table, shape]) => {
    const columns: Readonly<Record<string, ColumnKind>> = shape.columns;
    return [table, Object.keys(columns).filter((column) => isPayload(columns[column]))];
  }),
);

function isPayload(kind: ColumnKind | undefined): boolean {
  return kind === "payload" || kind === "payload?";
}

function keepPayload(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const { hash, size, inline } = value as Payload;
  return Object.freeze({ hash, size, inline: inline === null ? null : copyBytes(inline) });
}

/** A frozen copy of text, numbers, lists and plain objects. */
function freeze(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(freeze));
  const entries = Object.entries(value).map(([key, item]) => [key, freeze(item)] as const);
  return Object.freeze(Object.fromEntries(entries));
}
