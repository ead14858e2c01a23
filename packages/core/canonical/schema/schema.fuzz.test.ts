import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CanonicalError } from "../canonical-error.ts";
import { compileSchema } from "./compile-schema.ts";
import { SchemaError } from "./refusal.ts";
import type { Schema } from "./type-table.ts";

const leaf = fc.constantFrom<Schema>(
  { type: "bool" },
  { type: "int" },
  { type: "nat" },
  { type: "time" },
  { type: "text" },
  { type: "bytes" },
  { type: "json" },
  { type: "dec128" },
  { type: "duration" },
  { type: "hash" },
  { type: "uuid" },
  { type: "unit" },
);
const keyType = fc.constantFrom<Schema>(
  { type: "int" },
  { type: "nat" },
  { type: "text" },
  { type: "hash" },
  { type: "uuid" },
);
const name = fc.oneof(
  fc.string({ minLength: 1, maxLength: 4 }).filter((text) => !text.startsWith("$")),
  fc.constantFrom("__proto__", "constructor", "é"),
);

const { schema: anySchema } = fc.letrec<{ schema: Schema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, depthSize: "small", withCrossShrink: true },
    leaf,
    tie("schema").map((item): Schema => ({ type: "list", item })),
    tie("schema").map(
      (inner): Schema =>
        inner.type === "option" || inner.type === "unit" ? inner : { type: "option", inner },
    ),
    tie("schema").map((item): Schema => ({ type: "set", item })),
    fc.tuple(keyType, tie("schema")).map(([key, value]): Schema => ({ type: "map", key, value })),
    fc
      .dictionary(name, tie("schema"), { maxKeys: 4 })
      .map((fields): Schema => ({ type: "record", fields })),
    fc
      .dictionary(name, fc.option(tie("schema")), { minKeys: 1, maxKeys: 3 })
      .map((arms): Schema => ({ type: "variant", arms })),
  ),
}));

const i64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n };
const leafValues: Record<string, fc.Arbitrary<unknown>> = {
  bool: fc.boolean(),
  int: fc.oneof(fc.bigInt(i64), fc.integer()),
  nat: fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.nat()),
  time: fc.bigInt(i64),
  text: fc.string({ unit: "binary", maxLength: 6 }),
  bytes: fc.uint8Array({ maxLength: 6 }),
  json: fc.jsonValue({ maxDepth: 2 }),
  dec128: fc
    .tuple(fc.integer(), fc.option(fc.stringMatching(/^[0-9]{1,9}$/)))
    .map(([whole, rest]) => (rest === null ? `${whole}` : `${whole}.${rest}`)),
  duration: fc.bigInt(i64),
  hash: fc.stringMatching(/^sha256:[0-9a-f]{64}$/),
  uuid: fc.oneof(
    fc.uuid(),
    fc.uuid().map((id) => id.toUpperCase()),
  ),
  unit: fc.constant(null),
};

/** Values of a schema in the forms an author may write, shorthands included. */
function valuesOf(schema: Schema): fc.Arbitrary<unknown> {
  switch (schema.type) {
    case "list":
    case "set":
      return fc.array(valuesOf(schema.item), { maxLength: 3 });
    case "option":
      return fc.option(valuesOf(schema.inner));
    case "map":
      return fc
        .uniqueArray(fc.tuple(valuesOf(schema.key), valuesOf(schema.value)), {
          maxLength: 3,
          selector: ([key]) => String(key).toLowerCase(),
        })
        .map((entries) => new Map(entries));
    case "record": {
      const fields = Object.entries(schema.fields).map(([field, inner]) =>
        fc.tuple(fc.constant(field), valuesOf(inner), fc.boolean()),
      );
      return fc
        .tuple(...fields)
        .map((entries) =>
          Object.fromEntries(entries.filter(([, value, leftOut]) => !(value === null && leftOut))),
        );
    }
    case "variant": {
      const arms = Object.entries(schema.arms).map(([tag, inner]) =>
        inner === null
          ? fc.constantFrom({ $tag: tag }, Object.fromEntries([[tag, null]]))
          : fc
              .tuple(valuesOf(inner), fc.boolean())
              .map(([value, short]) =>
                short ? Object.fromEntries([[tag, value]]) : { $tag: tag, $value: value },
              ),
      );
      return fc.oneof(...arms);
    }
    default:
      return leafValues[schema.type] ?? fc.constant(undefined);
  }
}

const schemaAndValue = anySchema.chain((schema) => fc.tuple(fc.constant(schema), valuesOf(schema)));

/** `npm run soak` plays more of the same. */
const scale = Number(process.env["HOLDFAST_FUZZ_SCALE"] ?? 1);
const runs = { numRuns: Math.ceil(5_000 * scale) };

/** A left-out json field holding null is not an option: such a value may rightly be refused. */
function typedValue(schema: Schema, value: unknown): unknown {
  const validated = compileSchema(schema).validate(value);
  return validated.ok ? validated.value : undefined;
}

describe("any schema", () => {
  test("gives one canonical form that survives bytes and a second validation", () => {
    let acceptedCount = 0;
    fc.assert(
      fc.property(schemaAndValue, ([schema, value]) => {
        const typed = typedValue(schema, value);
        if (typed === undefined) return true;
        acceptedCount++;
        const compiled = compileSchema(schema);
        const bytes = compiled.encode(value);
        return (
          isDeepStrictEqual(compiled.decode(bytes), typed) &&
          isDeepStrictEqual(typedValue(schema, typed), typed) &&
          Buffer.compare(compiled.encode(typed), bytes) === 0
        );
      }),
      runs,
    );
    expect(acceptedCount).toBeGreaterThan(4_500 * scale);
  });

  test("[M.C-13] refuses changed bytes or reads a value with exactly those bytes", () => {
    const change = fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 }));
    fc.assert(
      fc.property(schemaAndValue, change, ([schema, value], [at, byte]) => {
        if (typedValue(schema, value) === undefined) return true;
        const compiled = compileSchema(schema);
        const bytes = compiled.encode(value);
        bytes[3 + (at % (bytes.length - 3))] = byte;
        try {
          return Buffer.compare(compiled.encode(compiled.decode(bytes)), bytes) === 0;
        } catch (error) {
          return error instanceof CanonicalError || error instanceof SchemaError;
        }
      }),
      runs,
    );
  });

  test("never throws, whatever value it is given", () => {
    fc.assert(
      fc.property(
        anySchema,
        fc.anything({ withBigInt: true, withMap: true, withTypedArray: true, withDate: true }),
        (schema, value) => {
          const validated = compileSchema(schema).validate(value);
          return validated.ok || validated.message.includes("expected ");
        },
      ),
      runs,
    );
  });
});
