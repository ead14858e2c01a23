import { afterAll, beforeAll, expect, test } from "vitest";
import { Sandbox } from "../../sandbox.ts";
import { validate } from "../validate.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.open({ threadsMax: 1 });
});
afterAll(() => sandbox?.close());

async function formsOf(body: string): Promise<readonly string[]> {
  const text = `
    import { workflow } from "@holdfast/sdk";
    export default workflow({
      name: "w", topics: {},
      connections: { mail: { connector: "http", account: "a" } },
      jobs: { renew: { manual: true, handler: async (ctx) => {${body}} } },
    });`;
  const source = { entry: "w.ts", files: { "w.ts": text } };
  const { manifest } = await validate(source, (script) => sandbox.inspect(script));
  return (
    manifest?.forms
      .find(({ handler }) => handler === "renew")
      ?.forms.filter((form) => form !== "reading 2") ?? ["none"]
  );
}

const item = (id: string) => `await ctx.withItem(${id}, "T", async () => {});`;
const each = (id: string) => `for (const c of await ctx.mail.list({})) { ${item(id)} }`;

type Case = readonly [what: string, body: string, forms: readonly string[]];
const cases: readonly Case[] = [
  ["a fixed text", item('"all"'), ["item all"]],
  ["a template", each(`\`contract:\${c.id}\``), ["item contract:{*.id}"]],
  ["a sum, whatever the variable is called", each('"contract:" + c.id'), ["item contract:{*.id}"]],
  [
    "a name that was taken out",
    each(`\`k:\${id}\``).replace("{ a", "{ const { id } = c; a"),
    ["item k:{*.id}"],
  ],
  ["a call", each("String(c.id)"), ["item {String(*.id)}"]],
  [
    "subkeys besides",
    `await ctx.withItem("a", "A", async (ctx) => {
      await ctx.mail.send({ to: "x", subkey: "welcome" });
    });`,
    ["item a", "subkey welcome"],
  ],
];

test.each(cases)(
  "[L13] the form of an item's id is read from the code: %s",
  async (_, body, forms) => {
    expect(await formsOf(body)).toEqual(forms);
  },
);
