import { describe, expect, test } from "vitest";
import { CanonicalError, type CanonicalErrorCode } from "./canonical-error.ts";
import { type CanonicalValue, canonicalBytesMax } from "./canonical-value.ts";
import { decodeCanonical, encodeCanonical } from "./cbor.ts";
import { contentHash } from "./hash.ts";

const hex = (value: CanonicalValue): string => Buffer.from(encodeCanonical(value)).toString("hex");
const encodeAny = encodeCanonical as (value: unknown) => Uint8Array;
const body = (value: CanonicalValue): string => hex(value).slice(6);
const nested = (levels: number): CanonicalValue => (levels === 0 ? 0 : [nested(levels - 1)]);

const published: readonly (readonly [CanonicalValue, string, string])[] = [
  [{}, "d9d9f7a0", "75bd49cb964988d6fd2c058f51230c3dc2a254753751fbe0f313b4b1e0681b69"],
  [
    { a: 1, b: 2 },
    "d9d9f7a2616101616202",
    "7d5fc784e8d341244b992c902413575266e3140e9081fe12fc95849cf27e7df6",
  ],
  [
    ["hi", 1, true, null],
    "d9d9f78462686901f5f6",
    "0e2c2f23ecdea86fcc33f4975460ea705a19da61c5eef7218112387036581271",
  ],
];

describe("encodeCanonical", () => {
  test.each(published)("[M.C-2] gives %j the published bytes and hash", (value, bytes, hash) => {
    expect(hex(value)).toBe(bytes);
    expect(contentHash(value)).toBe(`sha256:${hash}`);
  });

  test("[M.C-2] gives the text key abc its published bytes", () => {
    expect(hex("abc")).toBe("d9d9f763616263");
  });

  test("[M.C-2] gives the definition of Point its published hash", () => {
    const point = {
      $kind: "defschema",
      name: "com.acme/Point@1",
      type: { record: { x: { int: {} }, y: { int: {} } } },
    };
    const hash = "9b74eadb8810612f1becfbf9b4502cccb0ef290b90e3e912b316fc279e779add";
    expect(contentHash(point)).toBe(`sha256:${hash}`);
  });

  test("[M.C-1] orders map keys bytewise by their encoding, whatever the insertion order", () => {
    const value = { $kind: 1, type: 2, name: 3, Z: 4, é: 5, aa: 6 };
    const keys = Object.keys(decodeCanonical(encodeCanonical(value)) as object);
    expect(keys).toEqual(["Z", "aa", "é", "name", "type", "$kind"]);
  });

  test("[M.C-1] orders keys outside the basic plane by bytes, not by UTF-16 units", () => {
    const value = { "\u{10000}": 1, "\uffee!": 2 };
    expect(body(value)).toBe("a264efbfae210264f090808001");
  });

  test("[M.C-1] orders many keys and keys that share a long beginning", () => {
    const names = Array.from({ length: 300 }, (_, at) => `same-beginning-${at}`);
    const forward = Object.fromEntries(names.map((name) => [name, 1]));
    const backward = Object.fromEntries(names.toReversed().map((name) => [name, 1]));
    expect(hex(forward)).toBe(hex(backward));
    expect(() => decodeCanonical(encodeCanonical(forward))).not.toThrow();
  });

  test("[M.C-1] orders integer keys 0, 1, 2 … then -1, -2 …", () => {
    const map = new Map<number | bigint, CanonicalValue>();
    for (const key of [-2, 10, 2n ** 63n, -1n, 0, 2n ** 40n, -(2n ** 63n), 24]) map.set(key, null);
    const decoded = decodeCanonical(encodeCanonical(map)) as Map<unknown, unknown>;
    const order = [0, 10, 24, 2 ** 40, 2n ** 63n, -1, -2, -(2n ** 63n)];
    expect([...decoded.keys()]).toEqual(order);
  });

  test("gives a Map with text keys the bytes of the record with the same entries", () => {
    const entries: [string, number][] = [
      ["b", 1],
      ["__proto__", 2],
      ["a", 3],
    ];
    expect(hex(new Map(entries))).toBe(hex(Object.fromEntries(entries)));
  });

  test.each([
    [2 ** 53 - 1, "1b001fffffffffffff"],
    [-(2 ** 53 - 1), "3b001ffffffffffffe"],
    [2n ** 53n, "1b0020000000000000"],
    [-(2n ** 53n), "3b001fffffffffffff"],
    [-(2n ** 53n) - 1n, "3b0020000000000000"],
    [2n ** 63n - 1n, "1b7fffffffffffffff"],
    [-(2n ** 63n), "3b7fffffffffffffff"],
    [2n ** 64n - 1n, "1bffffffffffffffff"],
    [2 ** 64, "fa5f800000"],
    [2 ** 32, "1b0000000100000000"],
    [2 ** 32 - 1, "1affffffff"],
    [65535, "19ffff"],
    [65536, "1a00010000"],
    [3 * 2 ** -24, "f90003"],
    [-0.5, "f9b800"],
    [0.1, "fb3fb999999999999a"],
    [Math.fround(0.1), "fa3dcccccd"],
    [5e-324, "fb0000000000000001"],
  ] as [CanonicalValue, string][])("writes %s as %s and reads it back", (value, bytes) => {
    expect(body(value)).toBe(bytes);
    expect(decodeCanonical(encodeCanonical(value))).toBe(value);
  });

  test("writes -0 as 0, since equal values must hash alike", () => {
    expect(body(-0)).toBe("00");
    expect(contentHash([-0])).toBe(contentHash([0]));
  });

  test("writes a bigint like the number of the same value, and reads a safe one as number", () => {
    expect(hex([7n, -7n])).toBe(hex([7, -7]));
    expect(decodeCanonical(encodeCanonical([7n, 2n ** 53n]))).toStrictEqual([7, 2n ** 53n]);
  });

  test("keeps text exactly: byte order mark, combining marks, NUL, every length of head", () => {
    for (const text of ["\ufeffabc", "e\u0301", "é", "\0", "😀".repeat(9), "ü".repeat(20_000)]) {
      expect(decodeCanonical(encodeCanonical(text))).toBe(text);
    }
    for (const length of [23, 24, 31, 32, 33, 255, 256, 65535, 65536]) {
      const text = "x".repeat(length);
      expect(decodeCanonical(encodeCanonical(text))).toBe(text);
    }
  });

  test("treats __proto__ and constructor as ordinary keys of data", () => {
    const value = JSON.parse('{"__proto__":{"a":1},"constructor":2,"toString":3}');
    expect(decodeCanonical(encodeCanonical(value))).toStrictEqual(value);
    expect(hex(Object.assign(Object.create(null), { a: 1 }))).toBe(hex({ a: 1 }));
  });

  test("may be called again from a getter without mixing the bytes", () => {
    const value = {
      a: "first",
      get b() {
        return hex(["inner", 1]);
      },
      c: "last",
    };
    expect(hex(value)).toBe(hex({ a: "first", b: hex(["inner", 1]), c: "last" }));
  });

  test("accepts 128 levels and refuses 129", () => {
    expect(() => encodeCanonical(nested(128))).not.toThrow();
    const tooDeep = (): unknown => encodeCanonical(nested(129));
    expect(tooDeep).toThrow(expect.objectContaining({ code: "CANONICAL_TOO_DEEP" }));
  });
});

const cycle: unknown[] = [];
cycle.push(cycle, cycle);
const revoked = Proxy.revocable({}, {});
revoked.revoke();
const doubling = (levels: number): unknown => {
  let value: unknown = new Uint8Array(1024);
  for (let level = 0; level < levels; level++) value = [value, value];
  return value;
};
const thrower = {
  get a() {
    throw new Error("no");
  },
};

const refused: readonly (readonly [string, unknown, CanonicalErrorCode])[] = [
  ["undefined", undefined, "CANONICAL_UNSUPPORTED_VALUE"],
  ["an undefined property", { a: undefined }, "CANONICAL_UNSUPPORTED_VALUE"],
  ["a hole in a list", Array(1), "CANONICAL_UNSUPPORTED_VALUE"],
  ["a function", () => 1, "CANONICAL_UNSUPPORTED_VALUE"],
  ["a symbol", Symbol("s"), "CANONICAL_UNSUPPORTED_VALUE"],
  ["a Date", new Date(0), "CANONICAL_UNSUPPORTED_VALUE"],
  ["a Set", new Set([1]), "CANONICAL_UNSUPPORTED_VALUE"],
  ["a boxed number", Object(1), "CANONICAL_UNSUPPORTED_VALUE"],
  ["a class instance", new (class Point {})(), "CANONICAL_UNSUPPORTED_VALUE"],
  ["an object on a plain one", Object.create({ a: 1 }), "CANONICAL_UNSUPPORTED_VALUE"],
  ["another typed array", new Uint16Array(1), "CANONICAL_UNSUPPORTED_VALUE"],
  ["an ArrayBuffer", new ArrayBuffer(1), "CANONICAL_UNSUPPORTED_VALUE"],
  ["NaN", NaN, "CANONICAL_NOT_FINITE"],
  ["Infinity", Infinity, "CANONICAL_NOT_FINITE"],
  ["2^53 as a number", 2 ** 53, "CANONICAL_UNSAFE_INTEGER"],
  ["nanoseconds as a number", 1.7e18, "CANONICAL_UNSAFE_INTEGER"],
  ["-2^63 as a number", -(2 ** 63), "CANONICAL_UNSAFE_INTEGER"],
  ["2^64 as a bigint", 2n ** 64n, "CANONICAL_INTEGER_RANGE"],
  ["-2^63 - 1", -(2n ** 63n) - 1n, "CANONICAL_INTEGER_RANGE"],
  ["a lone surrogate", "a\ud800b", "CANONICAL_TEXT_MALFORMED"],
  ["a lone surrogate in long text", `${"x".repeat(99)}\udc00`, "CANONICAL_TEXT_MALFORMED"],
  ["a lone surrogate in a key", { "\udfff": 1 }, "CANONICAL_TEXT_MALFORMED"],
  ["a cycle", cycle, "CANONICAL_TOO_DEEP"],
  ["a small value that unfolds past the limit", doubling(20), "CANONICAL_TOO_LARGE"],
  ["text past the limit", "x".repeat(canonicalBytesMax + 1), "CANONICAL_TOO_LARGE"],
  [
    "mixed keys",
    new Map<unknown, unknown>([
      ["a", 1],
      [1, 2],
    ]),
    "CANONICAL_KEY_TYPE",
  ],
  ["a float key", new Map([[1.5, 1]]), "CANONICAL_KEY_TYPE"],
  ["an object key", new Map([[{}, 1]]), "CANONICAL_KEY_TYPE"],
  [
    "1 and 1n as keys",
    new Map<unknown, unknown>([
      [1, 1],
      [1n, 1],
    ]),
    "CANONICAL_KEY_DUPLICATE",
  ],
  ["an integer key out of range", new Map([[2n ** 64n, 1]]), "CANONICAL_INTEGER_RANGE"],
  ["a getter that throws", thrower, "CANONICAL_UNREADABLE"],
  ["a revoked proxy", revoked.proxy, "CANONICAL_UNREADABLE"],
  ["a forged Uint8Array", Object.create(Uint8Array.prototype), "CANONICAL_UNREADABLE"],
];

describe("encodeCanonical refuses", () => {
  test.each(refused)("%s", (_name, value, code) => {
    expect(() => encodeAny(value)).toThrow(CanonicalError);
    expect(() => encodeAny(value)).toThrow(expect.objectContaining({ code, offset: null }));
  });

  test("and says where", () => {
    const value = { order: { lines: [{}, { "odd key": new Map([[-5, NaN]]) }] } };
    const message = 'order.lines[1]["odd key"][-5]: NaN has no canonical bytes';
    expect(() => encodeAny(value)).toThrow(message);
  });

  test("and encodes rightly afterwards", () => {
    expect(() => encodeAny([1, 2, undefined])).toThrow();
    expect(hex([])).toBe("d9d9f780");
  });
});
