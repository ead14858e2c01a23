import { describe, expect, test } from "vitest";
import { decodeCanonical, encodeCanonical } from "../cbor.ts";
import { compileSchema } from "./compile-schema.ts";
import { outcome } from "./testing/outcome.ts";
import type { Schema } from "./type-table.ts";

describe("json", () => {
  const json: Schema = { type: "json" };
  const compiled = compileSchema(json);

  test.each([
    ['{"a":[1,-2.5,"x",null,true,{"__proto__":{}}],"b":{"":0}}'],
    ["1e300"],
    ["1234567890123456789"],
    ["-9223372036854775808"],
    ["18446744073709549568"],
    ["18446744073709551616"],
    ["5e-324"],
    ["0.1"],
  ])("keeps whatever JSON.parse gives for %s", (source) => {
    const value = JSON.parse(source);
    expect(outcome(json, value)).toStrictEqual(value);
    expect(compiled.decode(compiled.encode(value))).toStrictEqual(value);
  });

  test("makes -0 zero, as JSON.stringify does", () => {
    expect(outcome(json, -0)).toBe(0);
    expect(compiled.decode(compiled.encode([-0]))).toStrictEqual([0]);
  });

  test.each([
    [{ a: undefined }, "a: expected json, got nothing"],
    [[1n], "[0]: expected json, got a bigint"],
    [[NaN], "[0]: expected json, got NaN"],
    [new Map(), "expected json, got Map"],
    [Uint8Array.of(1), "expected json, got bytes"],
    [{ "a\udc00": 1 }, String.raw`["a\udc00"]: expected text, got text with a lone surrogate`],
  ])("refuses %s", (value, message) => {
    expect(outcome(json, value)).toBe(message);
  });

  test("refuses stored values that JSON does not have", () => {
    for (const value of [Uint8Array.of(1), new Map([[1, 1]]), 2n ** 63n - 1n]) {
      expect(() => compiled.decode(encodeCanonical(value))).toThrow("expected json");
    }
  });

  test("counts its levels together with those around it", () => {
    let value: unknown = 1;
    for (let level = 0; level < 127; level++) value = [value];
    const around = compileSchema({ type: "record", fields: { a: json } });
    expect(() => decodeCanonical(around.encode({ a: value }))).not.toThrow();
    expect(around.validate({ a: [value] }).ok).toBe(false);
    const named = compileSchema({ type: "record", fields: { a: json } }, { rootName: "order" });
    expect(named.validate({ a: value }).ok).toBe(true);
  });
});
