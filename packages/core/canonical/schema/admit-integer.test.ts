import { describe, expect, test } from "vitest";
import { encodeCanonical } from "../cbor.ts";
import { compileSchema } from "./compile-schema.ts";
import { outcome } from "./testing/outcome.ts";
import type { Schema } from "./type-table.ts";

const i64 = 2n ** 63n;
const u64 = 2n ** 64n;
const int: Schema = { type: "int" };
const nat: Schema = { type: "nat" };

describe("int, nat and time", () => {
  test.each([
    [int, -i64, true],
    [int, -i64 - 1n, false],
    [int, i64 - 1n, true],
    [int, i64, false],
    [int, -(2 ** 63), false],
    [nat, 0n, true],
    [nat, -1n, false],
    [nat, u64 - 1n, true],
    [nat, u64, false],
    [{ type: "time" }, -i64, true],
    [{ type: "time" }, -i64 - 1n, false],
    [{ type: "time" }, i64 - 1n, true],
    [{ type: "time" }, i64, false],
  ] as [Schema, unknown, boolean][])("[M.C-7] %j holds %s: %s", (schema, value, holds) => {
    const compiled = compileSchema(schema);
    expect(compiled.validate(value).ok).toBe(holds);
    if (holds) expect(compiled.decode(compiled.encode(value))).toBe(value);
  });

  test("come out as bigint, from bytes too", () => {
    for (const schema of [int, nat, { type: "time" }] as Schema[]) {
      expect(outcome(schema, 5)).toBe(5n);
      expect(compileSchema(schema).decode(encodeCanonical(5))).toBe(5n);
      expect(outcome(schema, -0)).toBe(0n);
    }
  });

  test("take a number only while it is exact", () => {
    expect(outcome(nat, Number.MAX_SAFE_INTEGER)).toBe(2n ** 53n - 1n);
    expect(outcome({ type: "time" }, 1.7e18)).toBe(
      "expected time, got 1700000000000000000, a number past 2^53 (use a bigint)",
    );
  });

  test("[M.C-7] refuse stored integers out of range and floats", () => {
    expect(() => compileSchema(int).decode(encodeCanonical(i64))).toThrow("expected int up to");
    expect(() => compileSchema(nat).decode(encodeCanonical(-1))).toThrow("expected nat, got -1");
    expect(() => compileSchema(int).decode(encodeCanonical(1.5))).toThrow("expected int, got 1.5");
  });
});
