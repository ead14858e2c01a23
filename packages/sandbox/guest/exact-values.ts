import {
  bareList,
  bytesIn,
  bytesLength,
  bytesOf,
  cutAt,
  define,
  forEachOfMap,
  glue,
  isArray,
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

/** Where a value belongs, and the value as JSON can say it. */
export type Apart = readonly [way: readonly (string | number)[], value: unknown];

/** Into freshly parsed JSON, which belongs to nobody yet. `beside`: bytes that it has by number. */
export function putInPlace(
  whole: object,
  apart: readonly Apart[] = [],
  beside: readonly ArrayBuffer[] = [],
): void {
  for (let index = 0; index < apart.length; index++) {
    const one = apart[index] as Apart;
    const way = one[0];
    const last = way.length - 1;
    let place = whole;
    for (let step = 0; step < last; step++) {
      place = ownMember(place, way[step] as string) as object;
    }
    const number = bytesBeside(one[1]);
    const exact = number === null ? exactValue(one[1]) : bytesIn(beside[number] as ArrayBuffer);
    define(place, way[last] as string, exact);
  }
}

/** Null = it is another value, or has its bytes in itself. */
function bytesBeside(value: unknown): number | null {
  if (typeof value !== "object" || value === null) return null;
  const bytes = ownMember(value, "$bytes");
  return typeof bytes === "number" ? bytes : null;
}

/** Out of freshly parsed JSON, too. */
function exactValue(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (isArray(value)) {
    for (let index = 0; index < value.length; index++) value[index] = exactValue(value[index]);
    return value;
  }
  const int = ownMember(value, "$int");
  if (typeof int === "string") return toBigInt(int);
  const bytes = ownMember(value, "$bytes");
  if (isArray(bytes)) return bytesOf(bytes);
  const map = ownMember(value, "$map");
  if (isArray(map)) return mapOf(map);
  const plain = ownMember(value, "$plain");
  const fields = typeof plain === "object" && plain !== null ? plain : value;
  const keys = ownKeys(fields);
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] as string;
    const part = ownMember(fields, key);
    const exact = typeof part === "object" ? exactValue(part) : part;
    // Most are as they were, and to define one costs more than all the rest.
    if (exact !== part) define(fields, key, exact);
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

/** By whole bytes: the engine is slow at counting. */
const pairs: string[] = bareList();
for (let byte = 0; byte < 256; byte++) {
  pairs[byte] = glue(cutAt(digits, (byte - (byte % 16)) / 16), cutAt(digits, byte % 16));
}

export function hexOf(bytes: Uint8Array): string {
  let hex = "";
  const length = bytesLength(bytes);
  for (let index = 0; index < length; index++) hex += pairs[bytes[index] as number] as string;
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
