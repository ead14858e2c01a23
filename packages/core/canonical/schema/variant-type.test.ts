import { describe, expect, test } from "vitest";
import { encodeCanonical } from "../cbor.ts";
import { compileSchema } from "./compile-schema.ts";
import { outcome } from "./testing/outcome.ts";
import type { Schema } from "./type-table.ts";

const int: Schema = { type: "int" };
const text: Schema = { type: "text" };

describe("variant", () => {
  const schema: Schema = {
    type: "variant",
    arms: { open: null, paid: int, note: { type: "option", inner: text }, constructor: null },
  };
  const compiled = compileSchema(schema);

  test.each([
    [{ paid: 1 }, { $tag: "paid", $value: 1n }],
    [
      { $tag: "paid", $value: 1 },
      { $tag: "paid", $value: 1n },
    ],
    [
      { $value: 1, $tag: "paid" },
      { $tag: "paid", $value: 1n },
    ],
    [{ open: null }, { $tag: "open" }],
    [{ $tag: "open" }, { $tag: "open" }],
    [{ note: null }, { $tag: "note", $value: null }],
    [{ $tag: "constructor" }, { $tag: "constructor" }],
  ])("[M.C-5] rewrites %o to its one form %o", (value, form) => {
    expect(outcome(schema, value)).toStrictEqual(form);
    expect(compiled.encode(value)).toStrictEqual(encodeCanonical(form));
    expect(compiled.decode(compiled.encode(value))).toStrictEqual(form);
  });

  test.each([
    [{ $tag: "open", $value: null }, "$value: expected no $value, as open has none, got one"],
    [{ $tag: "paid" }, "$value: expected int, got nothing"],
    [{ $tag: "note" }, "$value: expected text, got nothing"],
    [{ open: {} }, "open: expected null, as the arm has no value, got object"],
    [{ lost: 1 }, 'expected one of open, paid, note, constructor, got "lost"'],
    [{ $tag: "lost" }, '$tag: expected one of open, paid, note, constructor, got "lost"'],
    [{ $tag: "toString" }, '$tag: expected one of open, paid, note, constructor, got "toString"'],
    [{ $tag: 5 }, "$tag: expected one of open, paid, note, constructor, got 5"],
    [
      { $tag: "paid", $value: 1, x: 1 },
      "x: expected no such field, got one beside $tag and $value",
    ],
    [{ open: null, paid: 1 }, "expected variant with $tag, got object with 2 fields"],
    [{}, "expected variant with $tag, got object with 0 fields"],
    ["open", 'expected variant, got "open"'],
  ])("[M.C-5] refuses %j", (value, message) => {
    expect(outcome(schema, value)).toBe(message);
  });

  test.each([
    [{ paid: 1 }],
    [{ open: null }],
    [{ $tag: "open", $value: null }],
    [{ $tag: "paid" }],
  ])("[M.C-13] refuses the stored form %j", (form) => {
    expect(() => compiled.decode(encodeCanonical(form))).toThrow();
  });
});
