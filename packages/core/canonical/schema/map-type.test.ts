import { describe, expect, test } from "vitest";
import { encodeCanonical } from "../cbor.ts";
import { compileSchema } from "./compile-schema.ts";
import { outcome } from "./testing/outcome.ts";
import type { Schema } from "./type-table.ts";

const int: Schema = { type: "int" };
const nat: Schema = { type: "nat" };
const text: Schema = { type: "text" };

describe("map", () => {
  const byText: Schema = { type: "map", key: text, value: int, entriesMax: 3 };
  const byInt: Schema = { type: "map", key: int, value: text };
  const byNat: Schema = { type: "map", key: nat, value: text };

  test("[M.C-6] with text keys takes an object or a Map and gives the object in byte order", () => {
    const entries: [string, number][] = [
      ["bb", 1],
      ["c", 2],
      ["__proto__", 3],
    ];
    for (const value of [Object.fromEntries(entries), new Map(entries)]) {
      const map = outcome(byText, value) as object;
      expect(Object.entries(map)).toEqual([
        ["c", 2n],
        ["bb", 1n],
        ["__proto__", 3n],
      ]);
    }
  });

  test("[M.C-6] with integer keys takes a Map and gives bigint keys in byte order", () => {
    const map = new Map<number | bigint, string>([
      [-1, "d"],
      [24n, "b"],
      [3, "a"],
      [-(2n ** 63n), "e"],
      [2n ** 63n - 1n, "c"],
    ]);
    const admitted = outcome(byInt, map) as Map<bigint, string>;
    expect([...admitted.values()].join("")).toBe("abcde");
    expect([...admitted.keys()]).toEqual([3n, 24n, 2n ** 63n - 1n, -1n, -(2n ** 63n)]);
    const compiled = compileSchema(byInt);
    expect([...(compiled.decode(compiled.encode(map)) as Map<bigint, string>)]).toEqual([
      ...admitted,
    ]);
  });

  test("[M.C-6] refuses an object for integer keys, wrong keys and a key given twice", () => {
    expect(outcome(byInt, { 1: "a" })).toBe("expected Map with integer keys, got object");
    expect(outcome(byInt, new Map([["1", "a"]]))).toBe('["1"]: expected int, got "1"');
    expect(outcome(byNat, new Map([[-1, "a"]]))).toBe("[-1]: expected nat, got -1");
    expect(outcome(byText, new Map([[1, 1]]))).toBe("[1]: expected text, got 1");
    expect(outcome(byText, new Map([[{}, 1]]))).toBe('["(key)"]: expected text, got object');
    const twice = new Map<number | bigint, string>([
      [1, "a"],
      [1n, "b"],
    ]);
    expect(outcome(byInt, twice)).toBe("[1]: expected each key once, got the key twice");
  });

  test("refuses more entries than allowed and keys that are not text", () => {
    const message = "expected map of at most 3 entries, got 4 entries";
    expect(outcome(byText, { a: 1, b: 2, c: 3, d: 4 })).toBe(message);
    expect(outcome(byText, { "\ud800": 1 })).toContain("got text with a lone surrogate");
  });

  test("comes back empty as what it is", () => {
    const [textKeys, intKeys] = [compileSchema(byText), compileSchema(byInt)];
    expect(textKeys.decode(textKeys.encode({}))).toStrictEqual({});
    expect(intKeys.decode(intKeys.encode(new Map()))).toStrictEqual(new Map());
  });

  test("refuses stored bytes with the other kind of key", () => {
    const compiled = compileSchema(byInt);
    expect(() => compiled.decode(encodeCanonical({ "1": "a" }))).toThrow("integer keys");
  });
});
