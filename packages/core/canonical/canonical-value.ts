/**
 * The values that have canonical bytes, and the limits every one of them obeys.
 *
 * Numbers follow one rule, so that a number has exactly one byte form: a whole number from
 * -2^63 to 2^64-1 is an integer, any other finite number is the shortest float that holds it.
 * A whole `number` past 2^53 may already have lost digits and is refused; it must come as a
 * `bigint`. `-0` is written as 0, because `-0 === 0` and equal values must hash alike.
 */
export type CanonicalValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | readonly CanonicalValue[]
  | CanonicalMap
  | CanonicalRecord;

/** Text keys; decoding always gives this form for a map with text keys, and for an empty one. */
export type CanonicalRecord = { readonly [key: string]: CanonicalValue };

/** Keys are all integers or all text; decoding gives this form only for integer keys. */
export type CanonicalMap = ReadonlyMap<string | number | bigint, CanonicalValue>;

/** Nested lists and maps, the outermost counted. Keeps recursion far from the stack's end. */
export const canonicalDepthLevelsMax = 128;

/** A shared subtree is written once per use, so a small value could otherwise fill memory. */
export const canonicalBytesMax = 64 * 1024 * 1024;

export const i64Min = -(2n ** 63n);
export const i64Max = 2n ** 63n - 1n;
export const u64Max = 2n ** 64n - 1n;

/** True for a number that must be written as an integer, though it may not be exact. */
export function isWholeInIntegerRange(value: number): boolean {
  return Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 64;
}
