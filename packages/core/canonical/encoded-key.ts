import { ByteWriter } from "./byte-writer.ts";
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

/** Field names repeat in every record, so their bytes are worth keeping. */
const cache = new Map<string, EncodedKey>();

export function encodeKey(name: string): EncodedKey {
  const known = cache.get(name);
  if (known !== undefined) return known;
  const key = makeKey(name);
  if (name.length > cachedKeyCharsMax) return key;
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

/** Bytewise by encoded key, so shorter names come first. */
export function sortKeys(keys: EncodedKey[]): void {
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
