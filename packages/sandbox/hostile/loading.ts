import { type HostileScript, hostile } from "./hostile-script.ts";

const consumer = (body: string) =>
  `Keep.workflow({ name: "w", topics: {}, consumers: { c: { async prepare(ctx) { ${body} } } } })`;

/** What is tried while a script is loaded, or by the shape of its definition. */
export const loading: readonly HostileScript[] = hostile([
  { tries: "broken syntax", expect: "load SCRIPT_LOAD", whole: "var {" },
  { tries: "nothing at all", expect: "load SCRIPT_LOAD", whole: "" },
  { tries: "await outside a function", expect: "load SCRIPT_LOAD", whole: "await 1; 5" },
  { tries: "an import", expect: "load SCRIPT_LOAD", whole: `import fs from "node:fs"; 5` },
  { tries: "import.meta", expect: "load SCRIPT_LOAD", whole: "import.meta.url" },
  { tries: "nesting without end", expect: "load SCRIPT_LOAD", whole: `var x = ${"[".repeat(1e5)}` },
  { tries: "a chain without end", expect: "load SCRIPT_LOAD", whole: `${"a.".repeat(2e5)}b` },
  { tries: "a loop", expect: "load SCRIPT_FUEL", whole: "for (;;);" },
  {
    tries: "a bomb",
    expect: "load SCRIPT_HEAP",
    whole: "for (let s = 'x'; ; ) s += s + s.charCodeAt(9);",
  },
  { tries: "depth", expect: "load SCRIPT_STACK", whole: "(function f() { f(); })()" },
  { tries: "the time", expect: "load SCRIPT_TOP_LEVEL", whole: "try { Date.now(); } catch {} 5" },
  {
    tries: "a date of now",
    expect: "load SCRIPT_TOP_LEVEL",
    whole: "try { new Date(); } catch {} 5",
  },
  { tries: "chance", expect: "load SCRIPT_TOP_LEVEL", whole: "try { Math.random(); } catch {} 5" },
  {
    tries: "code from text",
    expect: "load SCRIPT_CODE_FROM_TEXT",
    whole: "try { Function('return 1'); } catch {} 5",
  },
  {
    tries: "a regular expression without end",
    expect: "load SCRIPT_FUEL",
    whole: "/^(a+)+$/.test('a'.repeat(40) + 'b')",
  },
  {
    tries: "a builtin that runs for minutes",
    expect: "load SCRIPT_RUNNING_TIME",
    whole: `"a".repeat(400000).indexOf("a".repeat(200000) + "b")`,
  },
  { tries: "a definition that is a function's number", expect: "SCRIPT_NO_HANDLER", whole: "5" },
  { tries: "a definition that is null", expect: "SCRIPT_NO_HANDLER", whole: "null" },
  { tries: "a definition that is a Date", expect: "SCRIPT_NO_HANDLER", whole: "new Date(0)" },
  {
    tries: "a definition that is a promise",
    expect: "SCRIPT_NO_HANDLER",
    whole: "Promise.resolve({})",
  },
  {
    tries: "a definition that holds itself",
    expect: "load SCRIPT_LOAD",
    whole: "var o = {}; o.o = o; o",
  },
  {
    tries: "a definition that doubles with every level",
    expect: "load SCRIPT_FUEL",
    whole: "var o = {}; o.a = o; o.b = o; o",
  },
  {
    tries: "a definition that is too large",
    expect: "load SCRIPT_VALUE_SIZE",
    whole: "({ name: 'x'.repeat(100000) })",
  },
  {
    tries: "a function with a name that is too large",
    expect: "load SCRIPT_VALUE_SIZE",
    whole: "({ ['x'.repeat(100000)]() {} })",
  },
  {
    tries: "a definition whose getter throws",
    expect: "load SCRIPT_LOAD",
    whole: "({ get consumers() { throw new Error('x'); } })",
  },
  {
    tries: "a definition that is a proxy which throws broken text",
    expect: "load SCRIPT_LOAD",
    whole: String.raw`new Proxy({}, { ownKeys() { throw new Error("\ud800"); } })`,
  },
  {
    tries: "a definition that was revoked",
    expect: "load SCRIPT_LOAD",
    whole: "var r = Proxy.revocable({}, {}); r.revoke(); r.proxy",
  },
  {
    tries: "a definition with broken text as a key",
    expect: "load SCRIPT_LOAD",
    whole: String.raw`({ "\ud800": 1 })`,
  },
  {
    tries: "a definition that throws what cannot be shown, when it is entered",
    expect: "SCRIPT_THREW",
    whole: `var n = 0; ({ get consumers() { if (n++ > 0) throw { get message() { throw 1; },
      toJSON() { throw 2; }, toString() { throw 3; } }; return {}; } })`,
  },
  {
    tries: "a definition that never ends when it is entered",
    expect: "SCRIPT_FUEL",
    whole: "var n = 0; ({ get consumers() { while (n++ > 0); return {}; } })",
  },
  {
    tries: "a handler that is a function only the first time",
    expect: "returned 1",
    whole: `var n = 0; ({ consumers: { c: {
      get prepare() { return n++ < 2 ? () => 1 : undefined; } } } })`,
  },
  {
    tries: "a handler that is another function when it is called",
    expect: "SCRIPT_FORBIDDEN",
    whole: `var n = 0; ({ consumers: { c: { get prepare() {
      if (n++ === 0) return () => 1;
      return (ctx) => { ctx.publish("t", {}); console.log("AFTER"); }; } } } })`,
  },
  {
    tries: "a forged mark of a function",
    expect: "SCRIPT_NO_HANDLER",
    whole: `({ consumers: { c: { prepare: { $function: "prepare" } } } })`,
  },
  {
    tries: "a handler that every object has",
    expect: "SCRIPT_NO_HANDLER",
    definition: consumer("return 1;"),
    call: { handler: "constructor" },
  },
  {
    tries: "a handler that is the prototype",
    expect: "SCRIPT_NO_HANDLER",
    definition: consumer("return 1;"),
    call: { handler: "__proto__" },
  },
  {
    tries: "a handler that comes from a polluted prototype",
    expect: "SCRIPT_NO_HANDLER",
    top: `Object.prototype.ghost = { prepare: () => console.log("AFTER") };`,
    definition: consumer("return 1;"),
    call: { handler: "ghost" },
  },
  {
    tries: "a handler that is a class",
    expect: "SCRIPT_THREW",
    whole: "({ consumers: { c: { prepare: class {} } } })",
  },
  {
    tries: "a handler that is a proxy of a function",
    expect: "SCRIPT_FORBIDDEN",
    whole: `({ consumers: { c: { prepare: new Proxy(() => 1, { apply(f, t, [ctx]) {
      ctx.publish("t", {}); console.log("AFTER"); } }) } } })`,
  },
  {
    tries: "a handler that is a generator",
    expect: "SCRIPT_VALUE",
    whole: `({ consumers: { c: { *prepare(ctx) { console.log("AFTER"); } } } })`,
  },
  {
    tries: "to replace Keep and console",
    expect: "returned 1",
    top: `const first = Keep; try { Keep.workflow = null; } catch {}
    globalThis.console = { log() {} }; delete globalThis.Keep; globalThis.Keep = first;`,
    definition: consumer("return 1;"),
  },
  {
    tries: "jobs that were queued while it was loaded",
    expect: "SCRIPT_FUEL",
    top: "Promise.resolve().then(() => { for (;;); });",
    definition: consumer("await 0; console.log('AFTER'); return 1;"),
  },
  {
    tries: "a thenable as the definition",
    expect: "returned 1",
    top: "var then = () => { throw 1; };",
    whole: "({ then() { console.log('AFTER'); }, consumers: { c: { prepare: () => 1 } } })",
  },
]);
