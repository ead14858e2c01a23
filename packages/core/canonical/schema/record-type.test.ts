import { describe, expect, test } from "vitest";
import { encodeCanonical } from "../cbor.ts";
import { compileSchema } from "./compile-schema.ts";
import { outcome } from "./testing/outcome.ts";
import type { Schema } from "./type-table.ts";

const text: Schema = { type: "text" };

describe("record", () => {
  const schema: Schema = {
    type: "record",
    fields: { name: text, note: { type: "option", inner: text } },
  };
  const compiled = compileSchema(schema);

  test("[M.C-4] writes a left-out option as null, like an explicit or undefined one", () => {
    const expected = { name: "a", note: null };
    for (const value of [{ name: "a" }, expected, { name: "a", note: undefined }]) {
      expect(outcome(schema, value)).toStrictEqual(expected);
      expect(compiled.encode(value)).toStrictEqual(encodeCanonical(expected));
    }
  });

  test("[M.C-4] refuses a missing field and an unknown one", () => {
    expect(outcome(schema, {})).toBe("name: expected text, got nothing");
    expect(outcome(schema, { name: undefined })).toBe("name: expected text, got nothing");
    expect(outcome(schema, { name: "a", x: undefined })).toContain("x: expected no such field");
  });

  test("[M.C-13] refuses stored bytes without the explicit null", () => {
    const bytes = encodeCanonical({ name: "a" });
    expect(() => compiled.decode(bytes)).toThrow("note: expected text, got nothing");
  });

  test("does not take inherited or hidden properties for fields", () => {
    const hidden = Object.defineProperty({}, "name", { value: "a", enumerable: false });
    expect(outcome(schema, hidden)).toBe("name: expected text, got nothing");
    const field: Schema = { type: "record", fields: { toString: text } };
    expect(outcome(field, {})).toBe("toString: expected text, got nothing");
  });
});
