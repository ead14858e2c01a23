import { ByteWriter } from "./byte-writer.ts";
import { canonicalErrorInside } from "./canonical-error.ts";
import { writeText } from "./write-text.ts";

/** A text key with its bytes; `rank` decides nearly every comparison without reading them. */
export type EncodedKey = {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly rank: number;
};

const cachedKeysMax = 4096;
const cachedKeyCharsMax = 64;
const smallMapEntriesMax = 24;
const cachedShapesMax = 8192;
const cachedShapeNamesMax = 64;

/** Field names repeat in every record, so their bytes are worth keeping. */
const cache = new Map<string, EncodedKey>();

function encodeKey(name: string): EncodedKey {
  const known = cache.get(name);
  if (known !== undefined) return known;
  const key = makeKey(name);
  if (!isCached(name)) return key;
  // Keys may be untrusted; starting over bounds memory and heals after a flood of odd ones.
  if (cache.size >= cachedKeysMax) cache.clear();
  cache.set(name, key);
  return key;
}

function makeKey(name: string): EncodedKey {
  const writer = new ByteWriter(32);
  writeText(writer, name);
  const bytes = writer.toBytes();
  // The first six bytes as one exact number: the head, then as much text as fits.
  let rank = 0;
  for (let at = 0; at < 6; at++) rank = rank * 256 + (bytes[at] ?? 0);
  return { name, bytes, rank };
}

/** Where a record's names, one after the other, have led; `sorted` is null where none ended. */
type Shape = { sorted: readonly EncodedKey[] | null; readonly next: Map<string, Shape> };

/** Records of one kind have the same names in the same order, and need to be sorted only once. */
let shapes = newShape();
let shapeCount = 0;

/** The names of a record as they are written. Throws `CanonicalError` with the name in its path. */
export function sortedKeys(names: readonly string[]): readonly EncodedKey[] {
  let shape: Shape | undefined = shapes;
  for (const name of names) {
    shape = shape.next.get(name);
    if (shape === undefined) return sortAndKeep(names);
  }
  return shape.sorted ?? sortAndKeep(names);
}

function sortAndKeep(names: readonly string[]): readonly EncodedKey[] {
  const keys = names.map(keyInside);
  sortKeys(keys);
  if (names.length <= cachedShapeNamesMax && names.every(isCached)) keepShape(names, keys);
  return keys;
}

function keepShape(names: readonly string[], sorted: readonly EncodedKey[]): void {
  // As with keys: what untrusted records can fill starts over.
  if (shapeCount + names.length > cachedShapesMax) {
    shapes = newShape();
    shapeCount = 0;
  }
  let shape = shapes;
  for (const name of names) {
    let next = shape.next.get(name);
    if (next === undefined) {
      next = newShape();
      shape.next.set(name, next);
      shapeCount += 1;
    }
    shape = next;
  }
  shape.sorted = sorted;
}

function newShape(): Shape {
  return { sorted: null, next: new Map() };
}

function isCached(name: string): boolean {
  return name.length <= cachedKeyCharsMax;
}

function keyInside(name: string): EncodedKey {
  try {
    return encodeKey(name);
  } catch (error) {
    throw canonicalErrorInside(error, name);
  }
}

/** Bytewise by encoded key, so shorter names come first. */
function sortKeys(keys: EncodedKey[]): void {
  if (keys.length > smallMapEntriesMax) {
    keys.sort(compareKeys);
    return;
  }
  for (let next = 1; next < keys.length; next++) {
    const key = keys[next];
    if (key === undefined) continue;
    let at = next;
    for (; at > 0; at--) {
      const before = keys[at - 1];
      if (before === undefined || compareKeys(before, key) <= 0) break;
      keys[at] = before;
    }
    keys[at] = key;
  }
}

function compareKeys(left: EncodedKey, right: EncodedKey): number {
  if (left.rank !== right.rank) return left.rank - right.rank;
  return compareBytes(left.bytes, right.bytes);
}

export function compareBytes(left: Uint8Array, right: Uint8Array): number {
  const shared = Math.min(left.length, right.length);
  for (let at = 0; at < shared; at++) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** Encoded order of integers: 0, 1, 2 … then -1, -2 … */
export function compareIntegerKeys(left: bigint, right: bigint): number {
  if (left < 0n !== right < 0n) return left < 0n ? 1 : -1;
  if (left === right) return 0;
  return left < right === left >= 0n ? -1 : 1;
}
