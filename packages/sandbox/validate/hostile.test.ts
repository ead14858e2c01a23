import { describe, expect, test } from "vitest";
import { sourceBytesMax } from "../compile/source-limits.ts";
import { sandboxInTests } from "../testing/script.ts";
import { type Inspect, validate } from "./validate.ts";

const theSandbox = sandboxInTests();
const inIsolate: Inspect = (script) => theSandbox().inspect(script);

const script = (text: string) => ({ entry: "main.js", files: { "main.js": text } });
const handing =
  (definition: unknown): Inspect =>
  async () => ({ ok: true, definition });

async function codesOf(text: string, inspect: Inspect = inIsolate): Promise<string[]> {
  const { problems } = await validate(script(text), inspect);
  return problems.map(({ code }) => code);
}

const room = sourceBytesMax - 1_000;
const nested: readonly (readonly [string, string])[] = [
  ["brackets that never close", "[".repeat(room)],
  ["brackets", "[".repeat(room / 2) + "]".repeat(room / 2)],
  ["parentheses", `x = ${"(".repeat(room / 3)}1${")".repeat(room / 3)}`],
  ["blocks", "{".repeat(room / 2) + "}".repeat(room / 2)],
  ["negations", `x = ${"!".repeat(room)}1`],
  ["arrows", `x = ${"a=>".repeat(room / 4)}1`],
  ["sums", `x = 1${"+1".repeat(room / 3)}`],
  ["members", `x = a${".b".repeat(room / 3)}`],
  ["conditions", `x = ${"a?b:".repeat(room / 5)}1`],
  ["ifs", `${"if(a)".repeat(room / 6)};`],
  ["else ifs", `if(a);${"else if(a);".repeat(room / 12)}`],
  ["templates", `${"`$".concat("{").repeat(room / 8)}1${"}`".repeat(room / 8)}`],
  ["calls", "f(".repeat(room / 4) + ")".repeat(room / 4)],
];

describe("[R8, R115] hostile nesting", () => {
  test.each(nested)("%s end as a problem, and the next script is read", async (_name, text) => {
    const [code] = await codesOf(`${text}\nexport default 1;`);
    expect(["source_too_deep", "syntax_error"]).toContain(code);
    expect(await codesOf("export default {};")).toEqual(["name_invalid"]);
  });
});

describe("[R8, R115] hostile size", () => {
  test("a megabyte is refused before anything reads it", async () => {
    expect(await codesOf("[".repeat(1_048_576))).toEqual(["source_too_large"]);
  });

  test("a huge list is read", async () => {
    const text = `const list = [${"1,".repeat(200_000)}]; export default { name: "a" };`;
    expect(await codesOf(text)).toEqual(["no_handler"]);
  });

  test("many small statements are read", async () => {
    const text = `const f = () => 1;\n${"f();\n".repeat(60_000)}export default { name: "a" };`;
    expect(await codesOf(text)).toEqual(["no_handler"]);
  });

  test("helpers that call each other twice, and loops in loops, come to an end", async () => {
    const helpers = Array.from({ length: 40 }, (_, at) => {
      return `async function f${at}(c) { await f${at + 1}(c); await f${at + 1}(c); }`;
    });
    const loops = `${"for (;;) { ".repeat(60)} await f0(ctx); ${"}".repeat(60)}`;
    const text = `${helpers.join("\n")}
      async function f40(c) { await c.shop.book(); }
      export default { name: "a", topics: { t: {} }, consumers: { c: { subscribe: ["t"],
        prepare: async () => ({ reservations: [], data: 1 }), mutate: async (ctx) => {
          ${loops} } } } };`;
    expect((await codesOf(text)).length).toBeGreaterThan(0);
  });
});

const topics = (name: string, value: unknown) => ({ name: "a", topics: { [name]: value } });
const cyclic: Record<string, unknown> = { name: "a" };
cyclic["topics"] = cyclic;
let deep: unknown = {};
for (let level = 0; level < 5_000; level++) deep = { a: deep };

const definitions: readonly (readonly [string, unknown])[] = [
  ["nothing", undefined],
  ["null", null],
  ["a list", []],
  ["a text", "workflow"],
  ["a number that is none", Number.NaN],
  ["a cycle", cyclic],
  ["depth", { name: "a", topics: deep }],
  ["a function", () => 1],
  ["a symbol", { name: Symbol("a") }],
  ["a Date", { name: "a", topics: new Date() }],
  ["a Map", { name: "a", topics: new Map() }],
  ["a BigInt", { name: 1n }],
  [
    "a class",
    new (class A {
      name = "a";
    })(),
  ],
  [
    "a proxy that throws",
    new Proxy(
      {},
      {
        get() {
          throw new Error("no");
        },
        ownKeys() {
          throw new Error("no");
        },
      },
    ),
  ],
  [
    "a getter that throws",
    {
      get name() {
        throw new Error("no");
      },
    },
  ],
  ["__proto__ as a topic", topics("__proto__", {})],
  ["constructor as a topic", topics("constructor", {})],
  ["toString as a handler", { name: "a", producers: { toString: { $function: "x" } } }],
  ["a number as a topic", topics("12", {})],
  ["letters of another script", topics("тема", {})],
  ["a lone surrogate", topics("\ud800", {})],
  ["a long name", topics("x".repeat(65), {})],
  ["an empty name", topics("", {})],
  ["a name of spaces", { name: "   " }],
  ["a name with a line break", { name: "a\nb" }],
  ["a name that turns the text around", { name: "a\u202eb" }],
  [
    "many topics",
    {
      name: "a",
      topics: Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`t${at}`, {}])),
    },
  ],
  ["many values", { name: "a", topics: Array.from({ length: 200_000 }, () => 1) }],
  ["a forged function", { name: "a", producers: { p: { $function: "x", more: 1 } } }],
  ["a function as a name", { name: { $function: "x" } }],
];

describe("[R8] a hostile definition", () => {
  test.each(definitions)("%s is refused as a problem", async (_name, definition) => {
    const { manifest, problems } = await validate(script("export default 1;"), handing(definition));
    expect(manifest).toBeNull();
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.some(({ severity }) => severity === "error")).toBe(true);
  });

  test("changes nothing that others see", async () => {
    const text = `{"name":"a","topics":{"__proto__":{"observed":true}},"__proto__":{"x":1}}`;
    await validate(script("export default 1;"), handing(JSON.parse(text)));
    expect("observed" in {} || "x" in {}).toBe(false);
  });
});
