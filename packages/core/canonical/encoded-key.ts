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
const cachedShapesMax = 1024;
const alikeShapesMax = 32;
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

/** The names of one kind of record: as they come, and as they are written. */
export type Shape = {
  readonly names: readonly string[];
  readonly sorted: readonly string[];
  /** The sorted names, encoded, in one piece of memory: `ends` says where each one ends. */
  readonly bytes: Uint8Array;
  readonly ends: readonly number[];
};

/** Records of one kind have the same names in the same order: sorted once, found by the last. */
const shapes = new Map<string, Shape[]>();
let shapeCount = 0;
const emptyShape: Shape = { names: [], sorted: [], bytes: new Uint8Array(0), ends: [] };

/** How a record with these names is written. Throws `CanonicalError` with the name in its path. */
export function shapeOf(names: readonly string[]): Shape {
  const last = names.at(-1);
  if (last === undefined) return emptyShape;
  const alike = shapes.get(last);
  if (alike !== undefined) for (const shape of alike) if (hasNames(shape, names)) return shape;
  const shape = makeShape(names);
  if (names.length <= cachedShapeNamesMax && names.every(isCached)) keepShape(last, shape);
  return shape;
}

function hasNames(shape: Shape, names: readonly string[]): boolean {
  const known = shape.names;
  if (known.length !== names.length) return false;
  for (let at = 0; at < known.length; at++) if (known[at] !== names[at]) return false;
  return true;
}

function makeShape(names: readonly string[]): Shape {
  const keys = names.map(keyInside);
  sortKeys(keys);
  const writer = new ByteWriter(keys.reduce((sum, { bytes }) => sum + bytes.length, 0));
  const ends = keys.map(({ bytes }) => {
    writer.writeBytes(bytes);
    return writer.length;
  });
  return { names, sorted: keys.map(({ name }) => name), bytes: writer.buffer, ends };
}

function keepShape(last: string, shape: Shape): void {
  // As with keys: what untrusted records can fill starts over.
  if (shapeCount >= cachedShapesMax) {
    shapes.clear();
    shapeCount = 0;
  }
  const alike = shapes.get(last) ?? [];
  if (alike.length === 0) shapes.set(last, alike);
  // Looked through one after the other.
  if (alike.length >= alikeShapesMax) shapeCount -= alike.splice(0).length;
  alike.push(shape);
  shapeCount += 1;
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
