import { describe, expect, test } from "vitest";
import { encodeCanonical } from "../cbor.ts";
import { compileSchema } from "./compile-schema.ts";
import { outcome } from "./testing/outcome.ts";
import type { Schema } from "./type-table.ts";

const small = "0123abcd-4567-89ef-0123-456789abcdef";
const hash = `sha256:${"0a".repeat(32)}`;

describe("hash, uuid, dec128, duration and unit", () => {
  test.each<[Schema["type"], unknown, unknown]>([
    ["hash", hash, hash],
    ["hash", hash.toUpperCase(), "expected hash"],
    ["hash", hash.slice(0, -1), "expected hash"],
    ["hash", hash.slice(7), "expected hash"],
    ["hash", new Uint8Array(32), "expected hash"],
    ["uuid", small, small],
    ["uuid", small.toUpperCase(), small],
    ["uuid", small.replaceAll("-", ""), "expected uuid"],
    ["uuid", `{${small}}`, "expected uuid"],
    ["uuid", `${small}\n`, "expected uuid"],
    ["dec128", "0", "0"],
    ["dec128", "-12.50", "-12.50"],
    ["dec128", "0.000", "0.000"],
    ["dec128", "9".repeat(34), "9".repeat(34)],
    ["dec128", `0.${"9".repeat(34)}`, `0.${"9".repeat(34)}`],
    ["dec128", "9".repeat(35), "expected dec128"],
    ["dec128", "-0", "expected dec128"],
    ["dec128", "-0.00", "expected dec128"],
    ["dec128", "01", "expected dec128"],
    ["dec128", "1.", "expected dec128"],
    ["dec128", ".5", "expected dec128"],
    ["dec128", "1e3", "expected dec128"],
    ["dec128", "NaN", "expected dec128"],
    ["dec128", 1.5, "expected dec128"],
    ["duration", -(2n ** 63n), -(2n ** 63n)],
    ["duration", 2n ** 63n - 1n, 2n ** 63n - 1n],
    ["duration", 2n ** 63n, "expected duration up to"],
    ["duration", -(2n ** 63n) - 1n, "expected duration from"],
    ["duration", 0.5, "expected duration"],
    // Neither letters nor base64: whoever means bytes says bytes.
    ["bytes", "hi", "expected bytes"],
    ["bytes", "aGk=", "expected bytes"],
    ["bytes", [104, 105], "expected bytes"],
    ["unit", null, null],
    ["unit", {}, "expected unit"],
    ["unit", undefined, "expected unit"],
  ])("[M.C-3] [M.C-7] %s of %s is %s", (type, value, expected) => {
    const got = outcome({ type } as Schema, value);
    if (typeof expected === "string" && expected.startsWith("expected ")) {
      expect(got).toContain(expected);
    } else expect(got).toBe(expected);
  });

  test("[M.C-13] stored bytes with capitals in a uuid are a second form, and refused", () => {
    const compiled = compileSchema({ type: "uuid" });
    expect(compiled.decode(compiled.encode(small.toUpperCase()))).toBe(small);
    expect(() => compiled.decode(encodeCanonical(small.toUpperCase()))).toThrow("expected uuid");
  });

  test("[M.C-5] an arm of type unit is the arm without a value, in schema and values", () => {
    const schema: Schema = { type: "variant", arms: { open: { type: "unit" } } };
    expect(compileSchema(schema).schema).toStrictEqual({ type: "variant", arms: { open: null } });
    expect(outcome(schema, { open: null })).toStrictEqual({ $tag: "open" });
    expect(outcome(schema, { $tag: "open", $value: null })).toContain("no $value");
    expect(() => compileSchema({ type: "option", inner: { type: "unit" } })).toThrow("option");
  });
});
