import { describe, expect, test } from "vitest";
import { CanonicalError, type CanonicalErrorCode } from "./canonical-error.ts";
import type { CanonicalValue } from "./canonical-value.ts";
import { decodeCanonical, encodeCanonical } from "./cbor.ts";

const tag = "d9d9f7";
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "hex"));
const numbered = Array.from({ length: 25 }, (_, at) => at + 1);

/** RFC 8949 appendix A, the rows inside our subset. */
const vectors: readonly (readonly [CanonicalValue, string])[] = [
  [0, "00"],
  [1, "01"],
  [10, "0a"],
  [23, "17"],
  [24, "1818"],
  [25, "1819"],
  [100, "1864"],
  [1000, "1903e8"],
  [1000000, "1a000f4240"],
  [1000000000000, "1b000000e8d4a51000"],
  [18446744073709551615n, "1bffffffffffffffff"],
  [-1, "20"],
  [-10, "29"],
  [-100, "3863"],
  [-1000, "3903e7"],
  [1.1, "fb3ff199999999999a"],
  [1.5, "f93e00"],
  [3.4028234663852886e38, "fa7f7fffff"],
  [1.0e300, "fb7e37e43c8800759c"],
  [2 ** -24, "f90001"],
  [0.00006103515625, "f90400"],
  [-4.1, "fbc010666666666666"],
  [false, "f4"],
  [true, "f5"],
  [null, "f6"],
  [new Uint8Array(), "40"],
  [Uint8Array.of(1, 2, 3, 4), "4401020304"],
  ["", "60"],
  ["a", "6161"],
  ["IETF", "6449455446"],
  ['"\\', "62225c"],
  ["\u00fc", "62c3bc"],
  ["\u6c34", "63e6b0b4"],
  ["\ud800\udd51", "64f0908591"],
  [[], "80"],
  [[1, 2, 3], "83010203"],
  [[1, [2, 3], [4, 5]], "8301820203820405"],
  [numbered, "98190102030405060708090a0b0c0d0e0f101112131415161718181819"],
  [{}, "a0"],
  [
    new Map([
      [1, 2],
      [3, 4],
    ]),
    "a201020304",
  ],
  [{ a: 1, b: [2, 3] }, "a26161016162820203"],
  [["a", { b: "c" }], "826161a161626163"],
  [{ a: "A", b: "B", c: "C", d: "D", e: "E" }, "a56161614161626142616361436164614461656145"],
];

/** Rows of the same appendix that are valid CBOR but have no place in canonical bytes. */
const refused: readonly (readonly [string, CanonicalErrorCode, string])[] = [
  ["c249010000000000000000", "CANONICAL_TAG_UNSUPPORTED", "2^64 as a bignum"],
  ["3bffffffffffffffff", "CANONICAL_INTEGER_RANGE", "-2^64"],
  ["f90000", "CANONICAL_FLOAT_IS_INTEGER", "0.0"],
  ["f98000", "CANONICAL_FLOAT_IS_INTEGER", "-0.0"],
  ["f93c00", "CANONICAL_FLOAT_IS_INTEGER", "1.0"],
  ["f97bff", "CANONICAL_FLOAT_IS_INTEGER", "65504.0"],
  ["fa47c35000", "CANONICAL_FLOAT_IS_INTEGER", "100000.0"],
  ["f9c400", "CANONICAL_FLOAT_IS_INTEGER", "-4.0"],
  ["f97c00", "CANONICAL_NOT_FINITE", "Infinity"],
  ["f97e00", "CANONICAL_NOT_FINITE", "NaN"],
  ["f9fc00", "CANONICAL_NOT_FINITE", "-Infinity"],
  ["fa7f800000", "CANONICAL_NOT_FINITE", "Infinity, 32 bits"],
  ["fa7fc00000", "CANONICAL_NOT_FINITE", "NaN, 32 bits"],
  ["fb7ff0000000000000", "CANONICAL_NOT_FINITE", "Infinity, 64 bits"],
  ["fb7ff8000000000000", "CANONICAL_NOT_FINITE", "NaN, 64 bits"],
  ["fb7ff8000000000001", "CANONICAL_NOT_FINITE", "NaN with a payload"],
  ["f7", "CANONICAL_SIMPLE_UNSUPPORTED", "undefined"],
  ["f0", "CANONICAL_SIMPLE_UNSUPPORTED", "simple(16)"],
  ["f8ff", "CANONICAL_SIMPLE_UNSUPPORTED", "simple(255)"],
  ["c11a514b67b0", "CANONICAL_TAG_UNSUPPORTED", "epoch time"],
  ["d74401020304", "CANONICAL_TAG_UNSUPPORTED", "base16 hint"],
  ["5f42010243030405ff", "CANONICAL_INDEFINITE_LENGTH", "bytes in pieces"],
  ["7f657374726561646d696e67ff", "CANONICAL_INDEFINITE_LENGTH", "text in pieces"],
  ["9fff", "CANONICAL_INDEFINITE_LENGTH", "open list"],
  ["83018202039f0405ff", "CANONICAL_INDEFINITE_LENGTH", "open list inside"],
  ["bf61610161629f0203ffff", "CANONICAL_INDEFINITE_LENGTH", "open map"],
];

describe("RFC 8949 appendix A", () => {
  test.each(vectors)("encodes and decodes %s as %s", (value, body) => {
    expect(hex(encodeCanonical(value))).toBe(tag + body);
    expect(decodeCanonical(bytes(tag + body))).toStrictEqual(value);
  });

  test.each(refused)("refuses %s with %s: %s", (body, code) => {
    const decode = (): CanonicalValue => decodeCanonical(bytes(tag + body));
    expect(decode).toThrow(expect.objectContaining({ code }));
    expect(decode).toThrow(CanonicalError);
  });
});
