import {
  bytesLength,
  cutAt,
  define,
  forEachOfMap,
  isArray,
  newBytes,
  newMap,
  ownKeys,
  ownMember,
  setInMap,
  toBigInt,
} from "./intrinsics.ts";

/**
 * Steps of machines work with exact values: large integers, bytes and maps cross the border as
 * records with one field, as the host's `tagged-json` has them.
 */
const digits = "0123456789abcdef";

/** Out of freshly parsed JSON, which belongs to nobody yet. */
export function exactValue(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (isArray(value)) {
    for (let index = 0; index < value.length; index++) value[index] = exactValue(value[index]);
    return value;
  }
  const int = ownMember(value, "$int");
  if (typeof int === "string") return toBigInt(int);
  const bytes = ownMember(value, "$bytes");
  if (typeof bytes === "string") return bytesOf(bytes);
  const map = ownMember(value, "$map");
  if (isArray(map)) return mapOf(map);
  const plain = ownMember(value, "$plain");
  const fields = typeof plain === "object" && plain !== null ? plain : value;
  const keys = ownKeys(fields);
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] as string;
    define(fields, key, exactValue(ownMember(fields, key)));
  }
  return fields;
}

function mapOf(entries: readonly unknown[]): Map<unknown, unknown> {
  const map = newMap();
  for (let index = 0; index < entries.length; index++) {
    const entry = entries[index] as readonly [unknown, unknown];
    setInMap(map, exactValue(entry[0]), exactValue(entry[1]));
  }
  return map;
}

function bytesOf(hex: string): Uint8Array {
  const bytes = newBytes(hex.length / 2);
  for (let index = 0; index < hex.length; index += 2) {
    bytes[index / 2] = digitAt(hex, index) * 16 + digitAt(hex, index + 1);
  }
  return bytes;
}

function digitAt(hex: string, index: number): number {
  const digit = cutAt(hex, index);
  for (let value = 0; value < 16; value++) if (cutAt(digits, value) === digit) return value;
  return 0;
}

export function hexOf(bytes: Uint8Array): string {
  let hex = "";
  const length = bytesLength(bytes);
  for (let index = 0; index < length; index++) {
    const byte = bytes[index] as number;
    hex += cutAt(digits, (byte - (byte % 16)) / 16);
    hex += cutAt(digits, byte % 16);
  }
  return hex;
}

export function writeMap(
  map: Map<unknown, unknown>,
  write: (key: unknown, value: unknown) => string,
): string {
  let written = "";
  forEachOfMap(map, (value, key) => {
    if (written !== "") written += ",";
    written += write(key, value);
  });
  return written;
}

/** Whether a record could be taken for one that stands for another value. */
export function isTagName(key: string): boolean {
  return key === "$int" || key === "$bytes" || key === "$map" || key === "$plain";
}
