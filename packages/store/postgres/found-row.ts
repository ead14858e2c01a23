import type { TableName } from "@holdfast/core";
import { type SqlValue, tableCodecs } from "../columns.ts";
import type { PostgresRow } from "./lent-connection.ts";

/** A row as row_to_json makes it. */
export type FoundRow = Readonly<Record<string, null | number | string>>;

export function decodeFound<T extends TableName>(table: T, found: FoundRow) {
  const { columns, decodeRow } = tableCodecs[table];
  const values = columns.map(({ name, type }): SqlValue => {
    const value = found[name] ?? null;
    return type === "BLOB" && typeof value === "string" ? bytesOf(value) : value;
  });
  return decodeRow(values);
}

/** PostgreSQL writes bytes as \x and hexadecimal digits. */
function bytesOf(text: string): Uint8Array {
  return plainBytes(Buffer.from(text.slice(2), "hex"));
}

/** A Buffer is a Uint8Array to everyone but those who compare types. */
export function plainBytes(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

export function plainValues(row: PostgresRow): readonly SqlValue[] {
  return row.map((value) => (value instanceof Uint8Array ? plainBytes(value) : value) as SqlValue);
}

/** Selected in the order that the table's codec decodes. */
export function columnList(table: TableName): string {
  return tableCodecs[table].columns.map(({ name }) => `"${name}"`).join(", ");
}
