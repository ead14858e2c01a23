import { describe, expect, test } from "vitest";
import { encodeCanonical } from "../cbor.ts";
import { compileSchema } from "./compile-schema.ts";
import { outcome } from "./testing/outcome.ts";
import type { Schema } from "./type-table.ts";

const names: Schema = { type: "set", item: { type: "text" }, itemsMax: 3 };
const hash = (digit: string) => `sha256:${digit.repeat(64)}`;

describe("set", () => {
  test("[M.C-6] has its items in the order of their bytes, each once", () => {
    expect(outcome(names, ["bb", "c", "a", "c"])).toEqual(["a", "c", "bb"]);
    expect(outcome(names, new Set(["c", "a"]))).toEqual(["a", "c"]);
    const lists: Schema = { type: "set", item: { type: "list", item: { type: "int" } } };
    expect(outcome(lists, [[-1], [], [1, 0], [1]])).toEqual([[], [1n], [-1n], [1n, 0n]]);
    const { encode } = compileSchema(names);
    expect(encode(["b", "a", "b"])).toEqual(encode(["a", "b"]));
  });

  test("[M.C-6] counts what is left of it, and says where an item is wrong", () => {
    expect(outcome(names, ["a", "a", "a", "b"])).toEqual(["a", "b"]);
    expect(outcome(names, ["a", "b", "c", "d"])).toContain("at most 3 items, got 4 items");
    expect(outcome(names, ["a", 1])).toBe("[1]: expected text, got 1");
    expect(outcome(names, "a")).toBe('expected set, got "a"');
  });

  test("[M.C-13] refuses stored bytes in another order, or with an item twice", () => {
    const { decode } = compileSchema(names);
    expect(() => decode(encodeCanonical(["b", "a"]))).toThrow("canonical order");
    expect(() => decode(encodeCanonical(["a", "a"]))).toThrow("each item once");
  });

  test("[M.C-6] maps may have hashes and ids as keys, checked and written one way", () => {
    const map: Schema = { type: "map", key: { type: "hash" }, value: { type: "bool" } };
    const { decode, encode } = compileSchema(map);
    const entries: [string, boolean][] = [
      [hash("b"), true],
      [hash("a"), false],
    ];
    const stored = decode(encode(new Map(entries)));
    expect(Object.keys(stored as object)).toEqual([hash("a"), hash("b")]);
    expect(encode(Object.fromEntries(entries))).toEqual(encode(new Map(entries)));
    expect(outcome(map, { a: true })).toContain('expected hash, got "a"');
    const ids: Schema = { type: "map", key: { type: "uuid" }, value: { type: "bool" } };
    const id = "0123abcd-4567-89ef-0123-456789abcdef";
    const twice = { [id]: true, [id.toUpperCase()]: true };
    expect(outcome(ids, twice)).toContain("each key once");
  });
});
