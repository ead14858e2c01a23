import { compileSchema, parseSchema, type Schema } from "@holdfast/core/canonical";
import { describe, expect, test } from "vitest";
import { type Infer, type InferInput, type Json, schema } from "./index.ts";
import { equalTypes } from "./testing/equal-types.ts";

/** Builder on the left, the core's data on the right; between them they use every type. */
const table: readonly (readonly [unknown, unknown])[] = [
  [schema.text(), { type: "text" }],
  [schema.text({ bytesMax: 64 }), { type: "text", bytesMax: 64 }],
  [schema.int(), { type: "int" }],
  [schema.nat(), { type: "nat" }],
  [schema.bool(), { type: "bool" }],
  [schema.bytes(), { type: "bytes" }],
  [schema.bytes({ bytesMax: 0 }), { type: "bytes", bytesMax: 0 }],
  [schema.time(), { type: "time" }],
  [schema.duration(), { type: "duration" }],
  [schema.dec128(), { type: "dec128" }],
  [schema.hash(), { type: "hash" }],
  [schema.uuid(), { type: "uuid" }],
  [schema.unit(), { type: "unit" }],
  [schema.ref("order.paid"), { type: "ref", name: "order.paid" }],
  [schema.set(schema.int(), { itemsMax: 3 }), { type: "set", item: { type: "int" }, itemsMax: 3 }],
  [schema.json(), { type: "json" }],
  [schema.list(schema.int()), { type: "list", item: { type: "int" } }],
  [
    schema.list(schema.int(), { itemsMax: 3 }),
    { type: "list", item: { type: "int" }, itemsMax: 3 },
  ],
  [
    schema.map(schema.text(), schema.nat(), { entriesMax: 9 }),
    { type: "map", key: { type: "text" }, value: { type: "nat" }, entriesMax: 9 },
  ],
  [
    schema.map(schema.int(), schema.bool()),
    { type: "map", key: { type: "int" }, value: { type: "bool" } },
  ],
  [schema.option(schema.text()), { type: "option", inner: { type: "text" } }],
  [
    schema.record({ id: schema.text(), note: schema.option(schema.text()) }),
    {
      type: "record",
      fields: { id: { type: "text" }, note: { type: "option", inner: { type: "text" } } },
    },
  ],
  [
    schema.variant({ open: null, paid: schema.int() }),
    { type: "variant", arms: { open: null, paid: { type: "int" } } },
  ],
];

describe("schema builders", () => {
  test.each(table)("return the core's own data: %j", (built, data) => {
    expect(built).toStrictEqual(data);
    expect(parseSchema(built)).toStrictEqual({ ok: true, schema: data });
  });

  test("there is one for each type of the core, and no other", () => {
    const refused = parseSchema({ type: "no such type" });
    const listed = refused.ok ? "" : refused.expected.replace("one of ", "");
    expect(Object.keys(schema).toSorted()).toEqual(listed.split(", ").toSorted());
  });

  test("what a script may write fits the schema it was typed by", () => {
    const order = schema.record({
      id: schema.text(),
      note: schema.option(schema.text()),
      state: schema.variant({ open: null, paid: schema.int() }),
      tags: schema.map(schema.text(), schema.list(schema.nat())),
    });
    const compiled = compileSchema(order as unknown as Schema);
    const written: readonly InferInput<typeof order>[] = [
      { id: "1", state: { open: null }, tags: {} },
      { id: "1", note: null, state: { $tag: "open" }, tags: { a: [1, 2] } },
      { id: "1", note: "n", state: { paid: 3 }, tags: {} },
      { id: "1", note: undefined, state: { $tag: "paid", $value: 3 }, tags: {} },
    ];
    expect(written.map((value) => compiled.validate(value).ok)).toEqual([true, true, true, true]);
  });
});

describe("types of schemas", () => {
  test("say what a script reads", () => {
    const order = schema.record({
      id: schema.text(),
      total: schema.nat(),
      paid: schema.bool(),
      note: schema.option(schema.text()),
      lines: schema.list(schema.record({ sku: schema.text(), count: schema.int() })),
      raw: schema.json(),
      state: schema.variant({ open: null, paid: schema.int() }),
      counts: schema.map(schema.text(), schema.nat()),
    });
    type Order = Infer<typeof order>;
    equalTypes<Order["id"], string>();
    equalTypes<Order["total"], number>();
    equalTypes<Order["paid"], boolean>();
    equalTypes<Order["note"], string | null>();
    equalTypes<Order["lines"][number]["sku"], string>();
    equalTypes<Order["raw"], Json>();
    equalTypes<
      Order["state"],
      { readonly $tag: "open" } | { readonly $tag: "paid"; readonly $value: number }
    >();
    equalTypes<Order["counts"], { readonly [key: string]: number }>();
    equalTypes<Infer<ReturnType<typeof schema.time>>, bigint>();
    // @ts-expect-error A count is a number, not text: Infer must not have become looser.
    equalTypes<Order["total"], string>();
  });

  test("say what a script may write", () => {
    const note = schema.record({ id: schema.text(), text: schema.option(schema.text()) });
    type Note = InferInput<typeof note>;
    const short: Note = { id: "1" };
    // @ts-expect-error A field that is no option must be given.
    const missing: Note = { text: "t" };
    // @ts-expect-error A record has no fields but the declared ones.
    const extra: Note = { id: "1", other: 1 };
    // @ts-expect-error When read, an option is always there, as null if nothing was given.
    const read: Infer<typeof note> = { id: "1" };
    const state = schema.variant({ open: null, paid: schema.int() });
    // @ts-expect-error No such arm.
    const lost: InferInput<typeof state> = { lost: 1 };
    // @ts-expect-error The arm has a value of another type.
    const wrong: InferInput<typeof state> = { $tag: "paid", $value: "3" };
    expect([short, missing, extra, read, lost, wrong]).toHaveLength(6);
  });

  test("refuse what parseSchema would refuse", () => {
    // @ts-expect-error "none" and "some none" would be the same null.
    const twice = schema.option(schema.option(schema.text()));
    // @ts-expect-error Keys are text or integers.
    const byFlag = schema.map(schema.bool(), schema.text());
    expect([twice, byFlag].map((each) => parseSchema(each).ok)).toEqual([false, false]);
  });
});
