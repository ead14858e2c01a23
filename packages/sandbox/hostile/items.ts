import { type HostileScript, hostile, type Sketch } from "./hostile-script.ts";

const inJob = (sketches: readonly Omit<Sketch & { body: string }, "phase">[]) =>
  hostile(sketches.map((sketch) => ({ ...sketch, phase: "job" }) as Sketch));

/** Jobs and their items. */
export const items: readonly HostileScript[] = inJob([
  {
    tries: "an item inside an item",
    expect: "SCRIPT_FORBIDDEN",
    body: `await ctx.withItem("a", "A", async (ctx) => { await ctx.withItem("b", "B", after); });`,
  },
  {
    tries: "an item inside an item by the global",
    expect: "SCRIPT_NEVER_SETTLES",
    body: `await withItem("a", "A", async () => { await withItem("b", "B", after); after(); });`,
  },
  {
    tries: "an item inside an item by the outer ctx, without waiting",
    expect: 'returned ["a","b"]',
    body: `const done = [];
    let inner;
    await ctx.withItem("a", "A", () => {
      inner = ctx.withItem("b", "B", () => { done.push("b"); });
      done.push("a");
    });
    await inner;
    return done;`,
  },
  {
    tries: "a mutation with the ctx of an item that has ended",
    expect: "SCRIPT_FORBIDDEN",
    body: `let kept;
    await ctx.withItem("a", "A", (ctx) => { kept = ctx; });
    try { await kept.shop.send({ n: 1 }); } finally { after(); }`,
  },
  {
    tries: "a mutation by the global outside an item",
    expect: "SCRIPT_FORBIDDEN",
    body: "try { await shop.send({ n: 1 }); } finally { after(); }",
  },
  {
    tries: "a mutation that the item does not wait for",
    expect: "SCRIPT_CALL_LEFT_OPEN",
    body: `await ctx.withItem("a", "A", (ctx) => { ctx.shop.send({ n: 1 }); }); after();`,
  },
  {
    tries: "an item that never ends",
    expect: "SCRIPT_NEVER_SETTLES",
    body: `await ctx.withItem("a", "A", () => new Promise(() => {})); after();`,
  },
  {
    tries: "an item that is never waited for",
    expect: "SCRIPT_CALL_LEFT_OPEN",
    body: `ctx.withItem("a", "A", after); await 0; await 0; await 0; return 1;`,
  },
  {
    tries: "many items at once",
    expect: "returned [0,1,2,3]",
    body: `let open = 0;
    return Promise.all([0, 1, 2, 3].map((n) => ctx.withItem("i" + n, "I", async (ctx) => {
      open += 1;
      if (open !== 1) after();
      await ctx.shop.send({ n });
      open -= 1;
      return n;
    })));`,
  },
  {
    tries: "items without end",
    expect: "SCRIPT_CALLS",
    body: `for (let n = 0; ; n++) await ctx.withItem("i" + n, "I", () => 1);`,
  },
  {
    tries: "an item whose id is not a text",
    expect: "SCRIPT_VALUE",
    body: `await ctx.withItem({ toString: () => "a" }, "A", after);`,
  },
  {
    tries: "an item whose id is an accessor",
    expect: "SCRIPT_VALUE",
    body: `await ctx.withItem(Object("a"), "A", after);`,
  },
  {
    tries: "an item without an id",
    expect: "SCRIPT_VALUE",
    body: `await ctx.withItem("", "A", after);`,
  },
  {
    tries: "an item whose handler is an object that can be called",
    expect: "returned 1",
    body: `return ctx.withItem("a", "A", new Proxy(() => 1, {}));`,
  },
  {
    tries: "to write to the item",
    expect: "SCRIPT_THREW",
    body: `await ctx.withItem("a", "A", (ctx) => { ctx.item.isDone = true; });`,
  },
  {
    tries: "to say that an item is done by itself",
    expect: "SCRIPT_ABSENT",
    body: `await ctx.withItem("a", "A", (ctx) => { ctx.itemDone(); });`,
  },
  {
    tries: "to peek from a job",
    expect: "SCRIPT_FORBIDDEN",
    body: `try { await ctx.peek("t"); } finally { after(); }`,
  },
  {
    tries: "an item whose failure is swallowed",
    expect: "SCRIPT_THREW",
    body: `try { await ctx.withItem("a", "A", () => { throw new Error("x"); }); } catch {}
    return 1;`,
  },
  {
    tries: "to replace the global connection",
    expect: "SCRIPT_THREW",
    body: "globalThis.shop = { send: async () => 1 };",
  },
]);
