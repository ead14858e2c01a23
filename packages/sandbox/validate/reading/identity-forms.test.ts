import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Sandbox } from "../../sandbox.ts";
import { validate } from "../validate.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.open({ threadsMax: 1 });
});
afterAll(() => sandbox?.close());

type Script = {
  readonly handler?: string;
  readonly next?: string;
  readonly top?: string;
  readonly producer?: string;
};

const quiet = "return { reservations: [] };";

async function formsOf({ handler = "{}", producer, next = "", top = "" }: Script) {
  const text = `
    import { workflow } from "@holdfast/sdk";
    ${top}
    export default workflow({
      name: "w",
      topics: { "a": {}, "b": { observed: true } },
      connections: { shop: { connector: "http", account: "a" } },
      producers: { poll: { manual: true, publishes: ["a"],
        handler: ${producer ?? `async (ctx) => ${handler}`} } },
      consumers: { file: { subscribe: ["a"], publishes: ["b"],
        prepare: async (ctx) => { ${quiet} },
        next: async (ctx, prepared) => { ${next} } } },
    });`;
  const source = { entry: "w.ts", files: { "w.ts": text } };
  const { manifest, problems } = await validate(source, (script) => sandbox.inspect(script));
  if (!manifest) throw new Error(JSON.stringify(problems));
  const of = (name: string) =>
    manifest.forms
      .find((each) => each.handler === name)
      ?.forms.filter((form) => form !== "reading 2") ?? null;
  return { poll: of("poll"), file: of("file") };
}

const each = (body: string) => `{ for (const o of await ctx.shop.list({})) { ${body} } }`;
const publish = (id: string) => each(`await ctx.publish("a", { messageId: ${id}, payload: o });`);

type Case = readonly [what: string, handler: string, forms: readonly string[]];
const cases: readonly Case[] = [
  ["a member", publish("o.id"), ["message a {*.id}"]],
  ["a template", publish(`\`order:\${o.id}\``), ["message a order:{*.id}"]],
  ["a sum", publish('"order:" + o.id'), ["message a order:{*.id}"]],
  [
    "a name that was taken out",
    each('const { id: messageId } = o; await ctx.publish("a", { messageId, payload: o });'),
    ["message a {*.id}"],
  ],
  ["a call of the language", publish("String(o.id).trim()"), ["message a {String(*.id).trim()}"]],
  [
    "a list that is made with map",
    '{ await ctx.publish("a", (await ctx.shop.list({})).map((o) => ({ messageId: o.id, o }))); }',
    ["message a {*.id}"],
  ],
  [
    "a list that has a name",
    `{ const list = (await ctx.shop.list({})).map((o) => { return { messageId: o.id, o }; });
       await ctx.publish("a", list); }`,
    ["message a {*.id}"],
  ],
  ["no id at all", each('await ctx.publish("a", { payload: o });'), ["message a (none)"]],
  [
    "an input",
    each('await ctx.registerInput({ source: "shop", type: "order", id: o.id, title: o.title });'),
    ["input shop order {*.id}"],
  ],
];

describe("[R117] what an event or an input is known by is read from the code", () => {
  test.each(cases)("%s", async (_, handler, forms) => {
    expect((await formsOf({ handler })).poll).toEqual(forms);
  });

  test("also what next publishes", async () => {
    const next = 'await ctx.publish("b", { messageId: prepared.data.id, payload: null });';
    expect((await formsOf({ next })).file).toEqual(["message b {*.data.id}"]);
  });

  test("and in a helper, from what it is called with", async () => {
    const top = `async function put(ctx: any, order: any) {
      await ctx.publish("a", { messageId: order.id, payload: null }); }`;
    const handler = (given: string) => each(`await put(ctx, ${given});`);
    const forms = async (given: string) => (await formsOf({ top, handler: handler(given) })).poll;
    expect(await forms("o")).toEqual(["message a {*.id}"]);
    expect(await forms("o.order")).toEqual(["message a {*.order.id}"]);
  });
});

const prefix = (text: string) => ({
  top: `const prefix = "${text}";`,
  handler: publish("prefix + o.id"),
});
const helper = (body: string) => ({
  top: `const idOf = (o: any) => ${body};`,
  handler: publish("idOf(o)"),
});
const pushed = (id: string, more = "") => ({
  handler: `{ const list: any[] = []; ${more}
    for (const o of await ctx.shop.list({})) list.push({ messageId: ${id}, payload: o });
    await ctx.publish("a", list); }`,
});
const changing = (id: string) => ({
  handler: each(`let id = o.id; if (o.old) id = ${id};
    await ctx.publish("a", { messageId: id, payload: o });`),
});
const spread = (id: string) => ({
  handler: each(`const made = { messageId: ${id} };
    await ctx.publish("a", { payload: o, ...made });`),
});
type Pair = readonly [what: string, one: Script, other: Script];
const pairs: readonly Pair[] = [
  ["a constant of the file", prefix("order:"), prefix("o:")],
  ["the code of a function that makes it", helper("o.id"), helper("o.number")],
  ["which of two it is", { handler: publish("o.a ?? o.b") }, { handler: publish("o.b ?? o.a") }],
  ["a list that is filled on the way", pushed("o.id"), pushed("o.number")],
  ["a name that changes", changing("o.number"), changing("o.first")],
  ["what is mixed in", spread("o.id"), spread("o.number")],
];

describe("[R117] what cannot be read to its ground counts as changed when its code is", () => {
  test.each(pairs)("%s", async (_, one, other) => {
    const forms = await formsOf(one);
    expect(forms.poll).toHaveLength(1);
    expect(await formsOf(one)).toEqual(forms);
    expect((await formsOf(other)).poll).not.toEqual(forms.poll);
  });

  test("a publish that is handed on", async () => {
    const handed = (id: string) => ({
      handler: `{ const all = await ctx.shop.list({});
        await Promise.all(all.map((o: any) =>
          [ctx.publish].map((p) => p("a", { messageId: ${id} })))); }`,
    });
    const [one, other] = [await formsOf(handed("o.id")), await formsOf(handed("o.number"))];
    expect(one.poll).not.toEqual([]);
    expect(one.poll).not.toEqual(other.poll);
  });

  test("a ctx that goes where nobody can follow", async () => {
    const handed = (id: string): Script => ({
      top: `const all = { put: async (ctx: any) => ${publish(id)} };`,
      handler: "{ await all.put(ctx); }",
    });
    const one = await formsOf(handed("o.id"));
    expect(one.poll).toEqual([expect.stringContaining("ctx goes where it cannot be followed")]);
    expect((await formsOf(handed("o.number"))).poll).not.toEqual(one.poll);
    const other = handed("o.id");
    expect(await formsOf({ ...other, top: `// the same\n${other.top}` })).toEqual(one);
  });

  test("a handler that is put together at run time", async () => {
    const made = (id: string): Script => ({
      top: `const made = [0].map(() => async (ctx: any) => ${publish(id)})[0];`,
      producer: "made",
    });
    const one = await formsOf(made("o.id"));
    expect(one.poll).toEqual([expect.stringContaining("made at run time")]);
    expect((await formsOf(made("o.number"))).poll).not.toEqual(one.poll);
  });

  test("layout, comments, types and what is called what are no part of it", async () => {
    const one = await formsOf(helper(`\`x\${o.a ?? o.b}\``));
    const top = `const nameOf = (given: { a?: string; b: string }): string =>
      /* so */ \`x\${given.a ?? given.b}\`;`;
    const handler = publish("nameOf(o)").replace("messageId: ", "messageId:\n");
    expect(await formsOf({ top, handler })).toEqual(one);
  });
});
