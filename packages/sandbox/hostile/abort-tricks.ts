import type { ScriptPhase } from "../run/phase.ts";
import { type HostileScript, hostile, type Sketch } from "./hostile-script.ts";

/** What ends a run at once, as a statement. */
export type AbortTrick = {
  readonly name: string;
  readonly phase: ScriptPhase;
  readonly code: string;
  readonly expect: string;
};

export const abortTricks: readonly AbortTrick[] = [
  {
    name: "a member its phase has not",
    phase: "prepare",
    code: `ctx.publish("t", {});`,
    expect: "SCRIPT_FORBIDDEN",
  },
  {
    name: "a mutation where none may be",
    phase: "prepare",
    code: "ctx.shop.send({ n: 1 });",
    expect: "SCRIPT_FORBIDDEN",
  },
  {
    name: "a list read in mutate",
    phase: "mutate",
    code: "ctx.shop.list();",
    expect: "SCRIPT_FORBIDDEN",
  },
  {
    name: "a read by id that was not opted into",
    phase: "mutate",
    code: `ctx.shop.getOrder({ id: "1" });`,
    expect: "SCRIPT_FORBIDDEN",
  },
  {
    name: "the terminal call of mutate",
    phase: "mutate",
    code: "ctx.shop.send({ n: 1 });",
    expect: 'mutation shop.send {"n":1}',
  },
  { name: "a read in next", phase: "next", code: "ctx.shop.list();", expect: "SCRIPT_FORBIDDEN" },
  {
    name: "a mutation outside an item",
    phase: "job",
    code: "ctx.shop.send({ n: 1 });",
    expect: "SCRIPT_FORBIDDEN",
  },
  {
    name: "a connection that is not there",
    phase: "prepare",
    code: "ctx.nowhere.find();",
    expect: "SCRIPT_ABSENT",
  },
  {
    name: "an operation that is not there",
    phase: "prepare",
    code: "ctx.shop.nothing();",
    expect: "SCRIPT_ABSENT",
  },
  {
    name: "a function as a parameter",
    phase: "prepare",
    code: "ctx.shop.list({ f() {} });",
    expect: "SCRIPT_VALUE",
  },
  {
    name: "broken text as a key",
    phase: "prepare",
    code: String.raw`ctx.shop.list({ "\ud800": 1 });`,
    expect: "SCRIPT_VALUE",
  },
  {
    name: "a getter that throws broken text",
    phase: "prepare",
    code: String.raw`ctx.shop.list({ get a() { throw new Error("\udfff"); } });`,
    expect: "SCRIPT_VALUE",
  },
  {
    name: "parameters that are too large",
    phase: "prepare",
    code: `ctx.shop.list("x".repeat(200000));`,
    expect: "SCRIPT_VALUE_SIZE",
  },
  {
    name: "a topic that is not declared",
    phase: "producer",
    code: `ctx.publish("other", {});`,
    expect: "SCRIPT_TOPIC",
  },
  {
    name: "an event that is none",
    phase: "producer",
    code: `ctx.publish("t", 5);`,
    expect: "SCRIPT_PUBLISH",
  },
  {
    name: "one log line too many",
    phase: "prepare",
    code: `for (;;) ctx.log("before");`,
    expect: "SCRIPT_LOGS",
  },
  {
    name: "one call too many",
    phase: "prepare",
    code: "for (;;) ctx.shop.list();",
    expect: "SCRIPT_CALLS",
  },
  {
    name: "one event too many",
    phase: "producer",
    code: `for (;;) ctx.publish("t", {});`,
    expect: "SCRIPT_EVENTS",
  },
  { name: "an endless loop", phase: "prepare", code: "for (;;) {}", expect: "SCRIPT_FUEL" },
  {
    name: "a full heap",
    phase: "prepare",
    code: "for (const kept = []; ; ) kept.push(new Array(5000).fill(0));",
    expect: "SCRIPT_HEAP",
  },
  {
    name: "code made from text",
    phase: "prepare",
    code: `new Function("return 1")();`,
    expect: "SCRIPT_CODE_FROM_TEXT",
  },
  {
    name: "an item without a handler",
    phase: "job",
    code: `ctx.withItem("a", "A", null);`,
    expect: "SCRIPT_FORBIDDEN",
  },
];

/** Where the trick is played, and how it goes on from there if it can. */
const forms: Readonly<Record<string, (abort: string) => string>> = {
  "in plain code": (abort) =>
    `go: for (;;) { try { ${abort} after(); } catch { after(); break go; }
     finally { after(); continue go; } }`,
  "in an async function": (abort) =>
    `const f = async () => { try { ${abort} await 0; } catch { after(); } finally { after(); } };
     try { await f(); } catch { after(); }
     after();`,
  "in then": (abort) =>
    `await Promise.resolve().then(() => { ${abort} }).then(after, after).finally(after);
     after();`,
  "in an executor": (abort) =>
    `const queued = () => Promise.resolve().then(after);
     const p = new Promise((resolve) => { queued(); ${abort} resolve(); });
     p.then(after, after);
     try { await p; } finally { after(); }`,
  "in an async generator": (abort) =>
    `async function* g() {
       try { yield 1; ${abort} yield 2; } catch { after(); yield 3; } finally { after(); yield 4; }
     }
     try { for await (const n of g()) if (n !== 1) after(); } finally { after(); }
     after();`,
  "in a queued job": (abort) =>
    `const first = Promise.resolve();
     first.then(() => { ${abort} });
     first.then(after);
     for (let n = 0; n < 5; n++) await 0;
     after();`,
};

type WaitingTrick = { readonly name: string; readonly code: string; readonly expect: string };

/** What ends a run while it waits: the promise it waits for. */
const waitingTricks: readonly WaitingTrick[] = [
  {
    name: "an operation that the host stops",
    code: `ctx.shop.refuse("1")`,
    expect: "stopped refused",
  },
  {
    name: "an operation that takes too long",
    code: `ctx.shop.slow("1")`,
    expect: "SCRIPT_WAITING_TIME",
  },
  {
    name: "a promise that nobody settles",
    code: "new Promise(() => {})",
    expect: "SCRIPT_NEVER_SETTLES",
  },
];

const waitingForms: Readonly<Record<string, (promise: string) => string>> = {
  "in plain code": (promise) =>
    `const p = ${promise};
     p.then(after, after).finally(after);
     try { await p; } catch { after(); } finally { after(); }`,
  "in an async function": (promise) =>
    `const f = async () => { try { return await ${promise}; } catch { after(); }
       finally { after(); } };
     await f();
     after();`,
  "in then": (promise) =>
    `await Promise.resolve().then(() => ${promise}).then(after, after).finally(after);`,
  "in an executor": (promise) =>
    `await new Promise((resolve, reject) => { ${promise}.then(resolve, reject); }).finally(after);
     after();`,
  "in an async generator": (promise) =>
    `async function* g() { try { yield await ${promise}; } catch { after(); } finally { after(); } }
     const it = g();
     const step = it.next();
     it.return().then(after, after);
     await step;
     after();`,
  "in a queued job": (promise) =>
    `let p = Promise.resolve();
     p = p.then(() => ${promise});
     p.then(after, after);
     await Promise.race([p, Promise.all([p]), Promise.any([p]), Promise.allSettled([p])]);
     after();`,
};

export const abortTable: readonly HostileScript[] = hostile([
  ...abortTricks.flatMap(({ name, phase, code, expect }) =>
    Object.entries(forms).map(
      ([where, form]): Sketch => ({ tries: `${name}, ${where}`, phase, expect, body: form(code) }),
    ),
  ),
  ...waitingTricks.flatMap(({ name, code, expect }) =>
    Object.entries(waitingForms).map(
      ([where, form]): Sketch => ({ tries: `${name}, ${where}`, expect, body: form(code) }),
    ),
  ),
]);
