import { type HostileScript, hostile } from "./hostile-script.ts";

/** Games with ctx, the globals and what a phase is given. */
export const context: readonly HostileScript[] = hostile([
  {
    tries: "to write to ctx",
    expect: "SCRIPT_THREW",
    body: "ctx.log = after;",
  },
  {
    tries: "to write to ctx in every other way",
    expect: "returned [false,false,false,false]",
    body: `return [Reflect.set(ctx, "log", after), Reflect.defineProperty(ctx, "x", { value: 1 }),
      Reflect.deleteProperty(ctx, "log"), Reflect.setPrototypeOf(ctx, { a: 1 })];`,
  },
  {
    tries: "to write to a connection",
    expect: "SCRIPT_THREW",
    body: "ctx.shop.list = async () => [];",
  },
  {
    tries: "ctx as the prototype of an object of its own",
    expect: "SCRIPT_FORBIDDEN",
    body: "const own = Object.create(ctx); own.publish('t', {}); after();",
  },
  {
    tries: "a proxy around ctx that hides the failure",
    expect: "SCRIPT_FORBIDDEN",
    body: `const own = new Proxy(ctx, { get(t, k) { try { return t[k]; } catch { after(); } } });
    own.publish("t", {}); after();`,
  },
  {
    tries: "to spread ctx and call what is in it later",
    expect: "SCRIPT_FORBIDDEN",
    body: "const { shop: { send } } = ctx; await 0; send({ n: 1 }); after();",
  },
  {
    tries: "ctx of the phase before",
    phase: "mutate",
    expect: 'returned "undefined"',
    top: "let kept;",
    body: "const had = typeof kept; kept = ctx; return had;",
  },
  {
    tries: "names that every object has",
    expect: "SCRIPT_ABSENT",
    body: "ctx.hasOwnProperty('log'); after();",
  },
  {
    tries: "ctx.__proto__",
    expect: "SCRIPT_ABSENT",
    body: "ctx.__proto__; after();",
  },
  {
    tries: "a member whose name hides behind a zero character",
    expect: "SCRIPT_FORBIDDEN",
    body: String.raw`ctx["publish\0"]; after();`,
  },
  {
    tries: "an operation whose name forges another call",
    expect: "SCRIPT_ABSENT",
    body: `ctx.shop['list",{"a":1}]']; after();`,
  },
  {
    tries: "an absent name of a megabyte",
    expect: "SCRIPT_ABSENT",
    body: `ctx["x".repeat(1e6)]; after();`,
  },
  {
    tries: "an absent name that is broken text",
    expect: "SCRIPT_ABSENT",
    body: String.raw`try { ctx["\ud800"]; } catch {} after();`,
  },
  {
    tries: "parameters after the first one",
    expect: "returned 1",
    body: "await ctx.shop.list(undefined, () => 1, ctx); return 1;",
  },
  {
    tries: "a log that is cyclic, a symbol, a proxy or throws",
    expect: "returned 1",
    body: `const o = {}; o.o = o;
    console.log(o, Symbol("x"), 1n, () => 1, new Proxy({}, { get() { throw 1; } }),
      { toJSON() { throw 1; } }, { toString: null }, globalThis, ctx, undefined, null);
    return 1;`,
  },
  {
    tries: "a log line of a megabyte of half pairs",
    expect: "returned 1",
    body: String.raw`console.log("\ud83d".repeat(1e6));
    console.log("a" + "😀".repeat(1e5));
    return 1;`,
  },
  {
    tries: "a log line of twenty thousand long arguments",
    expect: "returned 1",
    body: `console.log(...Array(20000).fill("x".repeat(4000))); return 1;`,
  },
  {
    tries: "a flood of log lines",
    expect: "SCRIPT_LOGS",
    body: `for (;;) console.error("before");`,
  },
  {
    tries: "a log line in a step",
    phase: "step",
    expect: "SCRIPT_FORBIDDEN",
    body: `try { console.log("AFTER"); } finally { console.log("AFTER"); }`,
  },
  {
    tries: "ctx in a step",
    phase: "step",
    expect: "SCRIPT_THREW",
    body: "return ctx.shop.list();",
  },
  {
    tries: "time in a step",
    phase: "step",
    expect: "returned 1234",
    body: "return Date.now();",
  },
  {
    tries: "a topic it does not subscribe to",
    expect: "SCRIPT_TOPIC",
    body: `try { await ctx.peek("other"); } finally { after(); }`,
  },
  {
    tries: "a topic that is a list, an object or a proxy",
    expect: "SCRIPT_TOPIC",
    body: `await ctx.peek(["t"]); after();`,
  },
  {
    tries: "a topic named like a member of all objects",
    phase: "producer",
    expect: "SCRIPT_TOPIC",
    body: `await ctx.publish("constructor", {}); after();`,
  },
  {
    tries: "one event to one topic a thousand times over",
    phase: "producer",
    expect: "SCRIPT_EVENTS",
    body: `await ctx.publish(Array(1000).fill("t"), { payload: "x" }); after();`,
  },
  {
    tries: "a large event to one topic as often as it may",
    phase: "producer",
    expect: "SCRIPT_VALUE_SIZE",
    body: `await ctx.publish(Array(10).fill("t"), { payload: "x".repeat(90000) }); after();`,
  },
  {
    tries: "many large events, each of which may be",
    phase: "producer",
    expect: "SCRIPT_VALUE_SIZE",
    body: `for (let n = 0; n < 30; n++) await ctx.publish("t", { payload: "x".repeat(90000) });
    after();`,
  },
  {
    tries: "many large keys of kv, each of which may be",
    phase: "producer",
    expect: "SCRIPT_VALUE_SIZE",
    body: `for (let n = 0; n < 15; n++) await ctx.kv.set("k" + n, "x".repeat(90000)); after();`,
  },
  {
    tries: "an event with a messageId that is not a text",
    phase: "producer",
    expect: "SCRIPT_PUBLISH",
    body: `await ctx.publish("t", { messageId: {} }); after();`,
  },
  {
    tries: "an event with a cause in next",
    phase: "next",
    expect: "SCRIPT_PUBLISH",
    body: `await ctx.publish("t", { inputId: "i" }); after();`,
  },
  {
    tries: "a messageId that is too large for one value",
    phase: "producer",
    expect: "SCRIPT_VALUE_SIZE",
    body: `await ctx.publish("t", { messageId: "m".repeat(150000) }); after();`,
  },
  {
    tries: "an input without a title",
    phase: "producer",
    expect: "SCRIPT_PUBLISH",
    body: `ctx.registerInput({ source: "system", type: "time", id: "1" }); after();`,
  },
  {
    tries: "an input that is no record",
    phase: "producer",
    expect: "SCRIPT_PUBLISH",
    body: "ctx.registerInput(null); after();",
  },
  {
    tries: "a key of kv that is an object",
    phase: "producer",
    expect: "SCRIPT_VALUE",
    body: "await ctx.kv.get({}); after();",
  },
  {
    tries: "a key of kv named like the prototype",
    phase: "producer",
    expect: "returned 5",
    body: `await ctx.kv.set("__proto__", 5); return await ctx.kv.get("__proto__");`,
  },
]);
