import { describe, expect, test } from "vitest";
import { sandboxInTests } from "../testing/script.ts";
import { type Inspect, type Known, validate } from "./validate.ts";

const theSandbox = sandboxInTests();
const inIsolate: Inspect = (script) => theSandbox().inspect(script);

const script = (text: string) => ({ entry: "main.ts", files: { "main.ts": text } });

async function codesOf(text: string, known?: Known): Promise<string[]> {
  const { problems } = await validate(script(text), inIsolate, known);
  return problems.map(({ code }) => code);
}

const consumerWith = (mutate: string, options = ""): string => `
export default Keep.workflow({
  name: "a",
  connections: { shop: { connector: "http" } },
  topics: { order: {} },
  producers: { fill: { manual: true, publishes: ["order"], handler: async () => {} } },
  consumers: {
    book: Keep.consumer({
      subscribe: ["order"],
      ${options}
      prepare: async () => ({ reservations: [], data: {} }),
      mutate: ${mutate},
    }),
  },
});`;

/** The body of mutate, and what is said where the kinds of operations are not known. */
const byName: readonly (readonly [string, readonly string[]])[] = [
  ["async (ctx) => { await ctx.shop.book({}); }", []],
  ["async (ctx) => { await ctx.shop.getOrder({}); }", ["read_in_mutate"]],
  ["async (ctx) => { await ctx.shop.listOrders({}); }", ["read_in_mutate"]],
  ["async (ctx) => { await ctx.shop.listen({}); }", []],
  ["async (ctx) => { await ctx.shop.a(); await ctx.shop.b(); }", ["several_mutations_on_one_path"]],
  ["async (ctx) => { await ctx.shop.a(); return; }", []],
  ["async (ctx) => { const r = await ctx.shop.a(); return r; }", []],
  ["async (ctx) => { return { id: (await ctx.shop.a()).id }; }", ["code_after_mutation"]],
  ["async (ctx) => { await ctx.shop.a(); if (ctx.x) return; }", ["code_after_mutation"]],
  [
    "async (ctx) => { try { await ctx.shop.a(); } finally { ctx.log('x'); } }",
    ["code_after_mutation"],
  ],
  ["async (ctx) => { for (;;) { await ctx.shop.a(); break; } }", []],
  [
    "async (ctx) => { while (ctx.more) { await ctx.shop.a(); } }",
    ["several_mutations_on_one_path"],
  ],
  [
    "async (ctx) => { do { await ctx.shop.a(); } while (ctx.more); }",
    ["several_mutations_on_one_path"],
  ],
  ["async (ctx) => { const f = () => ctx.shop.a(); await f(); }", []],
  [
    "async (ctx) => { const f = () => ctx.shop.a(); await f(); await f(); }",
    ["several_mutations_on_one_path"],
  ],
  [
    "async ({ shop: s }) => { const { a } = s; await a(); await s.b(); }",
    ["several_mutations_on_one_path"],
  ],
  ["async (ctx) => (ctx.a ? ctx.shop.a() : ctx.shop.b())", []],
  ["async (ctx, { data }) => data.x && (await ctx.shop.a())", []],
  ["async (ctx) => { const n = { a: () => ctx.shop.a() }; }", []],
  ["async (ctx) => { await ctx['sh' + 'op'].a(); }", []],
];

describe("[R37, R39, S2] mutate, read by the names of its operations", () => {
  test.each(byName)("%s", async (mutate, expected) => {
    expect(await codesOf(consumerWith(mutate))).toEqual(expected);
  });

  test("[R38] allows a read by id where the consumer opts in, and no search", async () => {
    const optIn = `mutateReads: "byId",`;
    const get = "async (ctx) => { const o = await ctx.shop.getOrder({}); await ctx.shop.book(o); }";
    const list = get.replace("getOrder", "findOrders");
    expect(await codesOf(consumerWith(get, optIn))).toEqual([]);
    expect(await codesOf(consumerWith(list, optIn))).toEqual(["read_in_mutate"]);
  });

  test("believes the workspace rather than the name", async () => {
    const get = "async (ctx) => { await ctx.shop.getRid({}); await ctx.shop.book({}); }";
    const known: Known = { connectors: { http: { getRid: "mutation", book: "mutation" } } };
    expect(await codesOf(consumerWith(get))).toEqual(["read_in_mutate"]);
    expect(await codesOf(consumerWith(get, ""), known)).toEqual(["several_mutations_on_one_path"]);
  });
});

describe("validate", () => {
  test("[R87] lists the operations that the script uses, and where", async () => {
    const text = consumerWith("async (ctx) => {\n  await ctx.shop.book({}); }");
    const { manifest } = await validate(script(text), inIsolate);
    expect(manifest?.operations).toEqual([
      {
        connection: "shop",
        operation: "book",
        handler: "book",
        phase: "mutate",
        file: "main.ts",
        line: 13,
        column: 9,
      },
    ]);
  });

  test("goes on reading the code where the definition has a fault", async () => {
    const text = consumerWith("async (ctx) => { await ctx.shop.listOrders(); }", "colour: 1,");
    expect(await codesOf(text)).toEqual(["definition_invalid", "read_in_mutate"]);
  });

  test("shows where the isolate says that the script failed, in the author's lines", async () => {
    const text = `type A = { id: string };\nconst list: A[] = [];\n\nexport default list[0].id;\n`;
    const { manifest, problems } = await validate(script(text), inIsolate);
    expect(manifest).toBeNull();
    expect(problems).toMatchObject([{ code: "script_threw", line: 4, column: 22 }]);
  });

  test("tells of a clock at the top level once, where it is asked", async () => {
    const text = `const day = new Date().toISOString();\n${consumerWith("async () => {}")}`;
    const { problems } = await validate(script(text), inIsolate);
    expect(problems).toMatchObject([{ code: "time_at_top_level", line: 1, column: 13 }]);
  });

  test("shows a script's own words without what would steer a terminal", async () => {
    const text = String.raw`throw new Error("a\u001b[31mb\u0007c\u202ed"); export default 1;`;
    const { problems } = await validate(script(text), inIsolate);
    expect(problems[0]?.cause).toContain("Error: a [31mb c d");
  });

  test("takes any failure of the isolate as a problem of the script", async () => {
    const inspect: Inspect = async () => {
      return { ok: false, code: "FUEL", message: "too\nlong", line: null, column: null };
    };
    const { problems } = await validate(script("export default 1;"), inspect);
    expect(problems).toMatchObject([{ code: "script_threw", line: 1, column: 1 }]);
    expect(problems[0]?.cause).toBe("The script failed while it was loaded (FUEL): too long");
  });
});
