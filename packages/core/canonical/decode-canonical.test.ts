import { describe, expect, test } from "vitest";
import type { CanonicalErrorCode } from "./canonical-error.ts";
import { type CanonicalValue, canonicalBytesMax } from "./canonical-value.ts";
import { decodeCanonical } from "./decode-canonical.ts";
import { encodeCanonical } from "./encode-canonical.ts";

const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "hex"));
const nested = (levels: number): string => `d9d9f7${"81".repeat(levels)}00`;

/** bytes, refusal, offset of what is wrong, why */
const refused: readonly (readonly [string, CanonicalErrorCode, number, string])[] = [
  ["", "CANONICAL_TAG_MISSING", 0, "nothing"],
  ["a0", "CANONICAL_TAG_MISSING", 0, "no tag"],
  ["d9d9", "CANONICAL_TAG_MISSING", 0, "half a tag"],
  ["d9d9f8a0", "CANONICAL_TAG_MISSING", 0, "another tag"],
  ["da0000d9f7a0", "CANONICAL_TAG_MISSING", 0, "the tag in a longer head"],
  ["d9d9f7", "CANONICAL_TRUNCATED", 3, "tag alone"],
  ["d9d9f7d9d9f7a0", "CANONICAL_TAG_UNSUPPORTED", 3, "tag twice"],
  ["d9d9f781d9d9f7a0", "CANONICAL_TAG_UNSUPPORTED", 4, "tag inside"],
  ["d9d9f70000", "CANONICAL_TRAILING_BYTES", 4, "a second value"],
  ["d9d9f7a0ff", "CANONICAL_TRAILING_BYTES", 4, "a stray break after"],
  ["d9d9f71817", "CANONICAL_NOT_SHORTEST", 3, "23 in one byte"],
  ["d9d9f7190018", "CANONICAL_NOT_SHORTEST", 3, "24 in two bytes"],
  ["d9d9f71900ff", "CANONICAL_NOT_SHORTEST", 3, "255 in two bytes"],
  ["d9d9f71a0000ffff", "CANONICAL_NOT_SHORTEST", 3, "65535 in four bytes"],
  ["d9d9f71b00000000ffffffff", "CANONICAL_NOT_SHORTEST", 3, "2^32-1 in eight bytes"],
  ["d9d9f73817", "CANONICAL_NOT_SHORTEST", 3, "-24 in one byte"],
  ["d9d9f7580101", "CANONICAL_NOT_SHORTEST", 3, "long head of bytes"],
  ["d9d9f7780161", "CANONICAL_NOT_SHORTEST", 3, "long head of text"],
  ["d9d9f7980100", "CANONICAL_NOT_SHORTEST", 3, "long head of a list"],
  ["d9d9f7b801616100", "CANONICAL_NOT_SHORTEST", 3, "long head of a map"],
  ["d9d9f7a178016100", "CANONICAL_NOT_SHORTEST", 4, "long head of a key"],
  ["d9d9f7fa3fc00000", "CANONICAL_NOT_SHORTEST", 3, "1.5 in 32 bits"],
  ["d9d9f7fb3ff8000000000000", "CANONICAL_NOT_SHORTEST", 3, "1.5 in 64 bits"],
  ["d9d9f7fa34400000", "CANONICAL_NOT_SHORTEST", 3, "3 × 2^-24 in 32 bits"],
  ["d9d9f7fb3fb99999a0000000", "CANONICAL_NOT_SHORTEST", 3, "a 32-bit fraction in 64 bits"],
  ["d9d9f7fa80000000", "CANONICAL_FLOAT_IS_INTEGER", 3, "-0 in 32 bits"],
  ["d9d9f7fb43e0000000000000", "CANONICAL_FLOAT_IS_INTEGER", 3, "2^63 as a float"],
  ["d9d9f7f97c01", "CANONICAL_NOT_FINITE", 3, "signalling NaN"],
  ["d9d9f73b8000000000000000", "CANONICAL_INTEGER_RANGE", 3, "-2^63 - 1"],
  ["d9d9f7a2616201616102", "CANONICAL_KEY_ORDER", 7, "b before a"],
  ["d9d9f7a262616101616202", "CANONICAL_KEY_ORDER", 8, "longer key first"],
  ["d9d9f7a220010002", "CANONICAL_KEY_ORDER", 6, "-1 before 0"],
  ["d9d9f7a2616101616102", "CANONICAL_KEY_DUPLICATE", 7, "a twice"],
  ["d9d9f7a200010002", "CANONICAL_KEY_DUPLICATE", 6, "0 twice"],
  ["d9d9f7a20001616102", "CANONICAL_KEY_TYPE", 6, "an integer key, then text"],
  ["d9d9f7a14000", "CANONICAL_KEY_TYPE", 4, "bytes as a key"],
  ["d9d9f7a1f600", "CANONICAL_KEY_TYPE", 4, "null as a key"],
  ["d9d9f7a18000", "CANONICAL_KEY_TYPE", 4, "a list as a key"],
  ["d9d9f7a1f93e0000", "CANONICAL_KEY_TYPE", 4, "a float as a key"],
  ["d9d9f77f", "CANONICAL_INDEFINITE_LENGTH", 3, "open text"],
  ["d9d9f71f", "CANONICAL_INDEFINITE_LENGTH", 3, "open integer"],
  ["d9d9f7ff", "CANONICAL_INDEFINITE_LENGTH", 3, "a stray break"],
  ["d9d9f781ff", "CANONICAL_INDEFINITE_LENGTH", 4, "a break in a list"],
  ["d9d9f71c", "CANONICAL_MALFORMED", 3, "reserved head 28"],
  ["d9d9f71e", "CANONICAL_MALFORMED", 3, "reserved head 30"],
  ["d9d9f7f820", "CANONICAL_SIMPLE_UNSUPPORTED", 3, "simple(32)"],
  ["d9d9f7f814", "CANONICAL_SIMPLE_UNSUPPORTED", 3, "false in two bytes"],
  ["d9d9f7fc", "CANONICAL_SIMPLE_UNSUPPORTED", 3, "reserved simple"],
  ["d9d9f718", "CANONICAL_TRUNCATED", 4, "integer cut off"],
  ["d9d9f71b00000001", "CANONICAL_TRUNCATED", 8, "long integer cut off"],
  ["d9d9f7fb3ff1", "CANONICAL_TRUNCATED", 6, "float cut off"],
  ["d9d9f76261", "CANONICAL_TRUNCATED", 5, "text cut off"],
  ["d9d9f74201", "CANONICAL_TRUNCATED", 5, "bytes cut off"],
  ["d9d9f782", "CANONICAL_TRUNCATED", 4, "list cut off"],
  ["d9d9f7a16161", "CANONICAL_TRUNCATED", 6, "value cut off"],
  ["d9d9f79affffffff", "CANONICAL_TRUNCATED", 8, "a list of four billion"],
  ["d9d9f7bbffffffffffffffff", "CANONICAL_TRUNCATED", 12, "a map of 2^64-1"],
  ["d9d9f75bffffffffffffffff", "CANONICAL_TRUNCATED", 12, "bytes of 2^64-1"],
  ["d9d9f761ff", "CANONICAL_TEXT_MALFORMED", 3, "a byte UTF-8 never has"],
  ["d9d9f762c0af", "CANONICAL_TEXT_MALFORMED", 3, "overlong slash"],
  ["d9d9f763eda080", "CANONICAL_TEXT_MALFORMED", 3, "lone surrogate"],
  ["d9d9f764f4908080", "CANONICAL_TEXT_MALFORMED", 3, "past U+10FFFF"],
  ["d9d9f7a161ff00", "CANONICAL_TEXT_MALFORMED", 4, "a key that is not UTF-8"],
];

describe("decodeCanonical", () => {
  test.each(refused)("[M.C-13] refuses %s with %s at byte %i: %s", (text, code, offset) => {
    expect(() => decodeCanonical(bytes(text))).toThrow(expect.objectContaining({ code, offset }));
  });

  test("says in words where the bytes are wrong", () => {
    const decode = (): unknown => decodeCanonical(bytes("d9d9f7a2616201616102"));
    expect(decode).toThrow("byte 7: map keys are not in canonical order");
  });

  test("accepts 128 levels and refuses 129", () => {
    expect(() => decodeCanonical(bytes(nested(128)))).not.toThrow();
    const tooDeep = (): unknown => decodeCanonical(bytes(nested(129)));
    expect(tooDeep).toThrow(expect.objectContaining({ code: "CANONICAL_TOO_DEEP", offset: 131 }));
  });

  test("does not overflow the stack on a million levels", () => {
    const tooDeep = (): unknown => decodeCanonical(bytes(nested(1_000_000)));
    expect(tooDeep).toThrow(expect.objectContaining({ code: "CANONICAL_TOO_DEEP" }));
  });

  test("refuses more bytes than the limit before reading them", () => {
    const tooLarge = (): unknown => decodeCanonical(new Uint8Array(canonicalBytesMax + 1));
    expect(tooLarge).toThrow(expect.objectContaining({ code: "CANONICAL_TOO_LARGE" }));
  });

  test("refuses what is not bytes", () => {
    const decode = decodeCanonical as (given: unknown) => unknown;
    for (const given of [null, undefined, "d9d9f7a0", [0xd9, 0xd9, 0xf7, 0xa0], {}]) {
      expect(() => decode(given)).toThrow(expect.objectContaining({ code: "CANONICAL_NOT_BYTES" }));
    }
  });

  test("makes __proto__ an ordinary entry", () => {
    const value = decodeCanonical(bytes("d9d9f7a1695f5f70726f746f5f5fa161780a"));
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.entries(value as object)).toEqual([["__proto__", { x: 10 }]]);
    expect((value as { x?: unknown }).x).toBeUndefined();
  });

  test("gives bytes that do not change with the input", () => {
    const input = Buffer.from("d9d9f74401020304", "hex");
    const value = decodeCanonical(input);
    input.fill(0);
    expect(value).toStrictEqual(Uint8Array.of(1, 2, 3, 4));
  });

  test("reads bytes that begin inside a larger buffer", () => {
    const outer = Buffer.from("ffffd9d9f7fb3ff199999999999affff", "hex");
    expect(decodeCanonical(outer.subarray(2, outer.length - 2))).toBe(1.1);
  });
});

describe("names of fields, which are kept", () => {
  const read = (value: CanonicalValue) => decodeCanonical(encodeCanonical(value));

  test("are not taken for each other where there are many, however they come again", () => {
    const all = Array.from({ length: 10_000 }, (_, at) => `field-${at}-${"é".repeat(at % 3)}`);
    for (const order of [all, all.toReversed()]) {
      for (const name of order) expect(Object.keys(read({ [name]: 1 }) as object)).toEqual([name]);
    }
  });

  test("are those that were read, whatever becomes of the bytes they were read from", () => {
    const given = Buffer.from(encodeCanonical({ mutable: 1 }));
    decodeCanonical(given);
    given.fill("x".charCodeAt(0), given.indexOf("mutable"), given.indexOf("mutable") + 7);
    expect(decodeCanonical(given)).toEqual({ xxxxxxx: 1 });
    expect(read({ mutable: 1 })).toEqual({ mutable: 1 });
  });

  test("may be those of what every object has, or numbers", () => {
    const value = JSON.parse('{"__proto__":{"7":1},"constructor":2,"7":3}');
    for (let time = 0; time < 2; time++) expect(read(value)).toStrictEqual(value);
  });

  test("of broken text are refused where they stand, each time", () => {
    for (let time = 0; time < 2; time++) {
      const decode = () => decodeCanonical(bytes("d9d9f7a161ff00"));
      const where = expect.objectContaining({ code: "CANONICAL_TEXT_MALFORMED", offset: 4 });
      expect(decode).toThrow(where);
    }
  });
});
