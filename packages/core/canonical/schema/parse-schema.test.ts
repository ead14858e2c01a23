import { describe, expect, test } from "vitest";
import { contentHash } from "../hash.ts";
import { parseSchema } from "./parse-schema.ts";
import { schemaDepthLevelsMax, schemaNodesMax } from "./schema-reader.ts";

const int = { type: "int" };
const text = { type: "text" };
const nested = (levels: number): unknown =>
  levels === 1 ? int : { type: "list", item: nested(levels - 1) };
const wide = (count: number): unknown => ({
  type: "record",
  fields: Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, int])),
});

const full = {
  type: "record",
  fields: {
    id: { type: "text", bytesMax: 64 },
    qty: { type: "nat" },
    blob: { type: "bytes", bytesMax: 0 },
    at: { type: "time" },
    done: { type: "bool" },
    tags: { type: "list", item: text, itemsMax: 3 },
    counts: { type: "map", key: int, value: { type: "nat" }, entriesMax: 10 },
    note: { type: "option", inner: text },
    state: { type: "variant", arms: { open: null, paid: int } },
    raw: { type: "json" },
  },
};

const refused: readonly (readonly [unknown, string])[] = [
  [null, "expected a schema, got null"],
  ["int", 'expected a schema, got "int"'],
  [[], "expected a schema, got list"],
  [{}, "type: expected one of "],
  [{ type: "float" }, 'got "float"'],
  [{ type: "constructor" }, 'got "constructor"'],
  [{ type: "__proto__" }, 'got "__proto__"'],
  [{ type: 5 }, "got 5"],
  [Object.create({ type: "int" }), "expected a schema, got an object that is not plain data"],
  [{ type: "int", max: 5 }, "max: expected no such property, got one that int does not have"],
  [{ type: "list" }, "item: expected a schema, got nothing"],
  [{ type: "list", item: int, itemsMax: -1 }, "itemsMax: expected a count, got -1"],
  [{ type: "text", bytesMax: 1.5 }, "bytesMax: expected a count, got 1.5"],
  [{ type: "bytes", bytesMax: "9" }, 'bytesMax: expected a count, got "9"'],
  [{ type: "bytes", bytesMax: Infinity }, "bytesMax: expected a count, got Infinity"],
  [{ type: "record" }, "fields: expected types by name, got nothing"],
  [{ type: "record", fields: [] }, "fields: expected types by name, got list"],
  [{ type: "record", fields: { a: null } }, "fields.a: expected a schema, got null"],
  [{ type: "record", fields: { "": int } }, "expected a name of 1 to 256 characters"],
  [{ type: "record", fields: { "\ud800": int } }, "expected a name of 1 to 256 characters"],
  [{ type: "record", fields: { ["x".repeat(257)]: int } }, "expected a name of 1 to 256"],
  [{ type: "variant", arms: {} }, "arms: expected at least one arm"],
  [{ type: "variant", arms: { $tag: int } }, "arms: expected names that do not begin with $"],
  [
    { type: "map", key: { type: "bool" }, value: int },
    "key: expected one of hash, int, nat, text, uuid, got",
  ],
  [{ type: "map", key: "text", value: int }, 'key: expected a schema, got "text"'],
  [{ type: "option", inner: { type: "option", inner: int } }, "inner: expected a type other than"],
  [
    { type: "record", fields: { a: { type: "list", item: { type: "x" } } } },
    "fields.a.item.type: expected one of ",
  ],
];

describe("parseSchema", () => {
  test("gives back every type as data, frozen, equal to what was written", () => {
    const parsed = parseSchema(full);
    expect(parsed).toStrictEqual({ ok: true, schema: full });
    const schema = parsed.ok ? parsed.schema : null;
    expect(Object.isFrozen(schema)).toBe(true);
    expect(schema?.type === "record" && Object.isFrozen(schema.fields)).toBe(true);
    expect(schema && contentHash(schema)).toMatch(/^sha256:/);
  });

  test.each(refused)("refuses %j with the place: %s", (given, message) => {
    const parsed = parseSchema(given);
    expect(parsed.ok ? "accepted" : parsed.message).toContain(message);
  });

  test("holds the limit on depth, and a cycle runs into it", () => {
    expect(parseSchema(nested(schemaDepthLevelsMax)).ok).toBe(true);
    expect(parseSchema(nested(schemaDepthLevelsMax + 1)).ok).toBe(false);
    const cycle: Record<string, unknown> = { type: "list" };
    cycle["item"] = cycle;
    expect(parseSchema(cycle)).toMatchObject({ ok: false, got: "more, or a cycle" });
  });

  test("holds the limit on size, shared parts and arms without a type included", () => {
    expect(parseSchema(wide(schemaNodesMax - 1)).ok).toBe(true);
    expect(parseSchema(wide(schemaNodesMax)).ok).toBe(false);
    let shared: unknown = int;
    for (let level = 0; level < 20; level++) {
      shared = { type: "record", fields: { a: shared, b: shared } };
    }
    expect(parseSchema(shared)).toMatchObject({ expected: `at most ${schemaNodesMax} types` });
    const tags = Array.from({ length: schemaNodesMax + 1 }, (_, at) => [`t${at}`, null]);
    expect(parseSchema({ type: "variant", arms: Object.fromEntries(tags) }).ok).toBe(false);
  });

  test("refuses what throws while it is read", () => {
    const given = {
      type: "list",
      get item() {
        throw new Error("no");
      },
    };
    expect(parseSchema(given)).toMatchObject({ ok: false, expected: "a readable value" });
  });
});
