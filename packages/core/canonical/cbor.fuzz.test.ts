import { isDeepStrictEqual } from "node:util";
import { encode as encodeCborg, rfc8949EncodeOptions } from "cborg";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CanonicalError } from "./canonical-error.ts";
import { type CanonicalValue, isWholeInIntegerRange } from "./canonical-value.ts";
import { decodeCanonical, encodeCanonical } from "./cbor.ts";

/** `npm run soak` plays more of the same. */
const scale = Number(process.env["HOLDFAST_FUZZ_SCALE"] ?? 1);
const runs = (count: number) => ({ numRuns: Math.ceil(count * scale) });

const text = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.constantFrom("__proto__", "constructor", "$tag", "\ufeff", "1", "é", "𐀀", "x".repeat(40)),
);
const number = fc.oneof(
  fc.integer(),
  fc.maxSafeInteger(),
  fc.float({ noNaN: true, noDefaultInfinity: true }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer({ min: -70000, max: 70000 }).map((n) => n / 1024),
);
const exactNumber = number.filter((n) => Number.isSafeInteger(n) || !isWholeInIntegerRange(n));
const integer = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n });

const { value: anyValue } = fc.letrec<{ value: CanonicalValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: "small", withCrossShrink: true },
    fc.constantFrom(null, true, false),
    exactNumber,
    integer,
    text,
    fc.uint8Array({ maxLength: 40 }),
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(text, tie("value"), { maxKeys: 6 }),
    fc
      .uniqueArray(fc.tuple(integer, tie("value")), { maxLength: 4, selector: ([key]) => key })
      .map((entries) => new Map(entries)),
  ),
}));

/** What decoding is documented to give back: safe integers as numbers, 0 for -0, no empty Map. */
function decodedForm(value: CanonicalValue): CanonicalValue {
  if (typeof value === "number") return value + 0;
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  if (Array.isArray(value)) return value.map(decodedForm);
  if (value instanceof Map) {
    if (value.size === 0) return {};
    const form = (key: CanonicalValue) => decodedForm(key) as number | bigint;
    return new Map([...value].map(([key, inner]) => [form(key), decodedForm(inner)]));
  }
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, decodedForm(inner)]));
}

/** cborg writes these in 32 bits though 16 hold them; half-float.test.ts covers ours. */
function holdsSmallFloat(value: CanonicalValue): boolean {
  if (typeof value === "number") return value !== 0 && Math.abs(value) < 2 ** -14;
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return false;
  const inner = value instanceof Map ? [...value.values()] : Object.values(value);
  return inner.some(holdsSmallFloat);
}

function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  return Buffer.compare(left, right) === 0;
}

/** True when refused; when accepted, the bytes must be the canonical ones of what was read. */
function isRefused(bytes: Uint8Array): boolean {
  let value: CanonicalValue;
  try {
    value = decodeCanonical(bytes);
  } catch (error) {
    if (error instanceof CanonicalError && error.offset !== null) return true;
    throw error;
  }
  if (!sameBytes(encodeCanonical(value), bytes)) {
    throw new Error(`accepted, but not canonical: ${Buffer.from(bytes).toString("hex")}`);
  }
  return false;
}

describe("canonical bytes", () => {
  test("100,000 values come back equal, re-encode alike and agree with cborg", () => {
    let comparedCount = 0;
    fc.assert(
      fc.property(anyValue, (value) => {
        const bytes = encodeCanonical(value);
        const decoded = decodeCanonical(bytes);
        if (!isDeepStrictEqual(decoded, decodedForm(value))) return false;
        if (!sameBytes(encodeCanonical(decoded), bytes)) return false;
        if (holdsSmallFloat(value)) return true;
        comparedCount++;
        return sameBytes(bytes.subarray(3), encodeCborg(value, rfc8949EncodeOptions));
      }),
      runs(100_000),
    );
    expect(comparedCount).toBeGreaterThan(80_000 * scale);
  });

  test("flipped, cut and lengthened bytes are refused or are themselves canonical", () => {
    let refusedCount = 0;
    const mutation = fc.record({
      at: fc.nat(),
      byte: fc.integer({ min: 0, max: 255 }),
      kind: fc.constantFrom("set", "cut", "insert", "remove"),
    });
    fc.assert(
      fc.property(anyValue, fc.array(mutation, { minLength: 1, maxLength: 3 }), (value, all) => {
        const bytes = [...encodeCanonical(value)];
        for (const { at, byte, kind } of all) {
          const where = 3 + (at % Math.max(1, bytes.length - 3));
          if (kind === "set") bytes[where] = byte;
          else if (kind === "cut") bytes.length = Math.min(bytes.length, where);
          else if (kind === "insert") bytes.splice(where, 0, byte);
          else bytes.splice(where, 1);
        }
        if (isRefused(Uint8Array.from(bytes))) refusedCount++;
      }),
      runs(20_000),
    );
    expect(refusedCount).toBeGreaterThan(5_000 * scale);
  });

  test("random bytes after the tag are refused or are canonical", () => {
    let acceptedCount = 0;
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 24 }), (body) => {
        if (!isRefused(Uint8Array.of(0xd9, 0xd9, 0xf7, ...body))) acceptedCount++;
      }),
      runs(20_000),
    );
    expect(acceptedCount).toBeGreaterThan(100 * scale);
  });

  test("every one- and two-byte body is refused or is canonical", () => {
    let acceptedCount = 0;
    for (let body = 0; body < 0x10000; body++) {
      const pair = Uint8Array.of(0xd9, 0xd9, 0xf7, body >>> 8, body & 0xff);
      if (!isRefused(pair)) acceptedCount++;
      if (body < 0x100 && !isRefused(Uint8Array.of(0xd9, 0xd9, 0xf7, body))) acceptedCount++;
    }
    // One byte: 24 + 24 integers, three simple values, four empty containers. Two bytes: 232 + 232
    // integers, 256 strings of one byte, 128 of one ASCII character, 55 one-item lists.
    expect(acceptedCount).toBe(55 + 464 + 256 + 128 + 55);
  });
});
