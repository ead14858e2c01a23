import { describe, expect, test } from "vitest";
import { decodeCanonical, encodeCanonical } from "../cbor.ts";
import { compileSchema } from "./compile-schema.ts";
import { SchemaError } from "./refusal.ts";
import type { Schema } from "./type-table.ts";

const kinds: Record<string, unknown> = {
  undefined: undefined,
  null: null,
  true: true,
  "1": 1,
  "-1": -1,
  "1.5": 1.5,
  NaN: NaN,
  "1e300": 1e300,
  "1n": 1n,
  text: "abc",
  "text of digits": "1",
  bytes: Uint8Array.of(1),
  list: [],
  "sparse list": Array(2),
  Map: new Map(),
  object: {},
  "object with a": { a: 1 },
  Date: new Date(0),
  Set: new Set(),
  function: () => 1,
  symbol: Symbol("s"),
  "class instance": new (class Point {})(),
  "boxed text": Object("abc"),
};

const int: Schema = { type: "int" };
const text: Schema = { type: "text" };

/** Each type with the kinds of value it takes; every other kind must be refused. */
const accepted: readonly (readonly [Schema, readonly string[]])[] = [
  [{ type: "bool" }, ["true"]],
  [{ type: "int" }, ["1", "-1", "1n"]],
  [{ type: "nat" }, ["1", "1n"]],
  [{ type: "time" }, ["1", "-1", "1n"]],
  [{ type: "text" }, ["text", "text of digits"]],
  [{ type: "bytes" }, ["bytes"]],
  [{ type: "list", item: int }, ["list"]],
  [{ type: "map", key: text, value: int }, ["Map", "object", "object with a"]],
  // The empty object is there because the empty map has its bytes.
  [{ type: "map", key: int, value: int }, ["Map", "object"]],
  [{ type: "map", key: { type: "uuid" }, value: int }, ["Map", "object"]],
  [{ type: "set", item: int }, ["list", "Set"]],
  [{ type: "duration" }, ["1", "-1", "1n"]],
  [{ type: "dec128" }, ["text of digits"]],
  [{ type: "hash" }, []],
  [{ type: "uuid" }, []],
  [{ type: "unit" }, ["null"]],
  [{ type: "option", inner: int }, ["null", "1", "-1", "1n"]],
  [{ type: "record", fields: {} }, ["object"]],
  [{ type: "record", fields: { a: int } }, ["object with a"]],
  [{ type: "variant", arms: { a: int, b: null } }, ["object with a"]],
  [
    { type: "json" },
    [
      "null",
      "true",
      "1",
      "-1",
      "1.5",
      "1e300",
      "text",
      "text of digits",
      "list",
      "object",
      "object with a",
    ],
  ],
];

describe("each type takes its own kinds of value and no other", () => {
  test.each(accepted)("[M.C-3] %j takes %j", (schema, names) => {
    const compiled = compileSchema(schema);
    const taken = Object.keys(kinds).filter((name) => compiled.validate(kinds[name]).ok);
    expect(taken.toSorted()).toEqual(names.toSorted());
    for (const name of names) {
      const bytes = compiled.encode(kinds[name]);
      const validated = compiled.validate(kinds[name]);
      expect(validated).toStrictEqual({ ok: true, value: compiled.decode(bytes) });
      expect(compiled.encode(compiled.decode(bytes))).toStrictEqual(bytes);
    }
  });
});

const order: Schema = {
  type: "record",
  fields: {
    lines: {
      type: "list",
      item: {
        type: "record",
        fields: { qty: { type: "nat" }, "odd name": { type: "option", inner: text } },
      },
    },
    byDay: { type: "option", inner: { type: "map", key: int, value: { type: "bool" } } },
    state: { type: "option", inner: { type: "variant", arms: { open: null, paid: int } } },
  },
};
const good = { qty: 1 };

const messages: readonly (readonly [unknown, string])[] = [
  [{ lines: [good, good, good, { qty: -1 }] }, "order.lines[3].qty: expected nat, got -1"],
  [{ lines: [{ qty: "3" }] }, 'order.lines[0].qty: expected nat, got "3"'],
  [{ lines: [{}] }, "order.lines[0].qty: expected nat, got nothing"],
  [{ lines: [null] }, "order.lines[0]: expected record, got null"],
  [{ lines: {} }, "order.lines: expected list, got object"],
  [[], "order: expected record, got list"],
  [{ lines: [{ qty: 1, "odd name": 5 }] }, 'order.lines[0]["odd name"]: expected text, got 5'],
  [
    { lines: [], extra: 1 },
    "order.extra: expected no such field, got one that the record does not declare",
  ],
  [{ lines: [], byDay: new Map([[-3, 1]]) }, "order.byDay[-3]: expected bool, got 1"],
  [{ lines: [], state: { paid: 1.5 } }, "order.state.paid: expected int, got 1.5"],
  [
    { lines: [], state: { $tag: "paid", $value: true } },
    "order.state.$value: expected int, got true",
  ],
  [{ lines: [], state: { lost: 1 } }, 'order.state: expected one of open, paid, got "lost"'],
];

describe("a refusal", () => {
  test.each(messages)(
    "of %j names the place, what was expected and what came",
    (value, message) => {
      const result = compileSchema(order, { rootName: "order" }).validate(value);
      expect(result).toMatchObject({ ok: false, message });
    },
  );

  test("has its parts beside the sentence", () => {
    const result = compileSchema(order).validate({ lines: [{ qty: 2n ** 64n }] });
    expect(result).toStrictEqual({
      ok: false,
      path: "lines[0].qty",
      expected: "nat up to 18446744073709551615",
      got: "18446744073709551616",
      message: "lines[0].qty: expected nat up to 18446744073709551615, got 18446744073709551616",
    });
  });

  test("of the value itself has no place", () => {
    expect(compileSchema(int).validate("x")).toMatchObject({
      path: "",
      message: 'expected int, got "x"',
    });
  });

  test("stays short whatever the value is", () => {
    const compiled = compileSchema({ type: "map", key: text, value: int });
    for (const value of ["x".repeat(1e6), { ["k".repeat(1e6)]: 1.5 }, { a: 2n ** 100_000n }]) {
      const result = compiled.validate(value);
      expect(result.ok ? "" : result.message).toMatch(/^.{10,200}$/s);
    }
  });

  test("is thrown by encode and decode as SchemaError", () => {
    const compiled = compileSchema(order);
    const refused = expect.objectContaining({ code: "SCHEMA_VALUE_REFUSED" });
    expect(() => compiled.encode({})).toThrow(refused);
    expect(() => compiled.decode(encodeCanonical({}))).toThrow(SchemaError);
    expect(() => compiled.decode(encodeCanonical({}))).toThrow("lines: expected list, got nothing");
  });
});

describe("compileSchema", () => {
  test("refuses a schema that parseSchema would refuse", () => {
    const bad = { type: "record", fields: { a: { type: "float" } } } as unknown as Schema;
    expect(() => compileSchema(bad)).toThrow(expect.objectContaining({ code: "SCHEMA_INVALID" }));
    expect(() => compileSchema(bad)).toThrow(/^fields\.a\.type: expected one of /);
  });

  test("is not changed by later changes of its input", () => {
    const fields: Record<string, Schema> = { a: int };
    const compiled = compileSchema({ type: "record", fields });
    fields["b"] = text;
    expect(compiled.validate({ a: 1 }).ok).toBe(true);
  });

  test("[M.C-4] encodes alike whatever the order of declaration and of fields", () => {
    const one = compileSchema({ type: "record", fields: { bb: int, a: int } });
    const other = compileSchema({ type: "record", fields: { a: int, bb: int } });
    expect(one.encode({ bb: 1, a: 2 })).toStrictEqual(other.encode({ a: 2, bb: 1 }));
    expect(decodeCanonical(one.encode({ bb: 1, a: 2 }))).toStrictEqual({ a: 2, bb: 1 });
  });
});
