import { type HostileScript, hostile } from "./hostile-script.ts";

/** Memory without end, by one builtin or by many small steps. */
const heap: Readonly<Record<string, string>> = {
  "a text of a billion characters": `"x".padEnd(1e9);`,
  "a text that doubles": `let s = "xx"; for (;;) { s += s; s.charCodeAt(0); }`,
  "a repeated text": `"abc".repeat(3e8);`,
  "a list of a billion places, joined": `Array(3e8).join("x");`,
  "a buffer of two gigabytes": "new ArrayBuffer(2 ** 31 - 1);",
  "a typed array": "new Float64Array(1e8);",
  "lists in lists": "let a = []; for (;;) a = [a, a, new Array(100).fill(a)];",
  "a map that grows": "const m = new Map(); for (let n = 0; ; n++) m.set(n, 'x' + n);",
  "a set of objects": "const s = new Set(); for (;;) s.add({});",
  "closures that hold each other": "let f = () => 1; for (;;) { const g = f; f = () => g; }",
  "promises that nobody waits for": `const kept = [];
    for (;;) kept.push(Array.from({ length: 100 }, () => new Promise(() => {})));`,
  "a replacement that grows": `"a".repeat(1e5).replace(/a/g, () => "b".repeat(1e4));`,
  "a split into many": `const a = []; for (;;) a.push("x,".repeat(1e4).split(","));`,
  "a spread without an end": "[...(function* () { for (;;) yield Array(100).fill(1); })()];",
  "jobs that queue jobs and wait for them": "const f = () => Promise.resolve().then(f); await f();",
  "Array.from of a great length": "Array.from({ length: 1e7 }, () => ({}));",
  "a URI that grows": `let s = "%"; for (;;) { s = encodeURIComponent(s + s); s.charCodeAt(0); }`,
  "upper case": `let s = "ß"; for (;;) { s = (s + s).toUpperCase(); s.charCodeAt(0); }`,
  concat: "let s = 'x'; for (;;) { s = s.concat(s, s); s.charCodeAt(0); }",
  symbols: "const kept = []; for (let n = 0; ; n++) kept.push(Symbol('x'.repeat(100) + n));",
  "bound functions": "let f = () => 1; for (;;) f = f.bind(null, f);",
  "proxies of proxies": "let p = {}; for (;;) p = new Proxy(p, {});",
  "errors that are kept": "const kept = []; for (;;) kept.push(new Error('x'.repeat(1000)));",
};

/** Depth without end. */
const stack: Readonly<Record<string, string>> = {
  recursion: "const f = () => 1 + f(); f();",
  "recursion of two": "const f = () => 1 + g(), g = () => 1 + f(); f();",
  "recursion by toString": "const o = { toString() { return '' + this; } }; '' + o;",
  "recursion by a getter": "const o = { get a() { return this.a; } }; o.a;",
  "recursion by a proxy": `const p = new Proxy({}, { get: (t, k, r) => r[k] }); p.a;`,
  "recursion by a comparator": "const f = () => [2, 1].sort(f); f();",
  "recursion by replace": "const f = () => 'a'.replace('a', f); f();",
  "recursion by new": "class A { constructor() { this.a = new A(); } } new A();",
  "recursion by a generator": "function* g() { yield* g(); } [...g()];",
  "recursion by async functions": "const f = async () => { await f(); }; await f();",
  "a deep list as text": "let a = []; for (let n = 0; n < 20000; n++) a = [a]; String(a);",
};

/** Time without end in a builtin that does not look up: only the thread's end helps. */
const time: Readonly<Record<string, string>> = {
  indexOf: `"a".repeat(400000).indexOf("a".repeat(200000) + "b");`,
  split: `"a".repeat(400000).split("a".repeat(200000) + "b");`,
  "a list of four billion places": "Array(4294967295).join('');",
  "recursion that is caught": "const f = () => { try { f(); } catch {} f(); }; f();",
};

/** Loops that cost fuel wherever they stand. */
const fuel: Readonly<Record<string, string>> = {
  "a loop": "for (;;);",
  "a labelled loop that finally goes on":
    "l: for (;;) { try { break l; } finally { continue l; } }",
  "await in a loop": "for (;;) await 0;",
  "a job that queues itself":
    "(function f() { Promise.resolve().then(f); })(); await new Promise(() => {});",
  "a thenable that resolves to itself": `const o = {
    then(yes) { yes({ then: o.then }); } }; await o;`,
  "a regular expression": "/^(a+)+$/.test('a'.repeat(40) + 'b');",
  "a generator": "for (const n of (function* () { for (;;) yield 1; })());",
  "an async generator": "for await (const n of (async function* () { for (;;) yield 1; })());",
  "an iterator without an end": `for (const n of
    { [Symbol.iterator]: () => ({ next: () => ({}) }) });`,
  "an async iterator without an end": `for await (const n of
    { [Symbol.asyncIterator]: () => ({ next: () => ({}) }) });`,
  "a getter that never ends": "return { get a() { for (;;); } };",
  "a toJSON that never ends": "console.log({ toJSON() { for (;;); } });",
  "a message that never ends": `const e = new Error();
    Object.defineProperty(e, "message", { get() { for (;;); } }); throw e;`,
  "a proxy in a loop of for-in": `for (const k in new Proxy({}, { ownKeys() { for (;;); } }));`,
  "a setter of an index":
    "const a = []; Object.defineProperty(a, 0, { set() { for (;;); } }); a[0] = 1;",
  "an error that is thrown again and again": "for (;;) { try { throw 1; } catch {} }",
  "a callback of a list": "Array(1000).fill(0).forEach(function f() { for (;;) f; });",
};

const all = (tries: string, expect: string, bodies: Readonly<Record<string, string>>) =>
  Object.entries(bodies).map(([what, body]) => ({ tries: `${tries}: ${what}`, expect, body }));

export const bombs: readonly HostileScript[] = hostile([
  ...all("memory", "SCRIPT_HEAP", heap),
  ...all("depth", "SCRIPT_STACK", stack),
  ...all("time", "SCRIPT_RUNNING_TIME", time),
  ...all("fuel", "SCRIPT_FUEL", fuel),
  {
    tries: "a number of ten million digits",
    expect: "SCRIPT_THREW",
    body: "return String(2n ** 10_000_000n).length;",
  },
  {
    tries: "text that is nested too deeply to be parsed",
    expect: "SCRIPT_THREW",
    body: `return JSON.parse("[".repeat(200000));`,
  },
  {
    tries: "a regular expression with too many groups",
    expect: "SCRIPT_THREW",
    body: `return new RegExp("(".repeat(1e5) + ")".repeat(1e5)).test("x");`,
  },
  {
    tries: "a comparator that changes what is sorted",
    expect: "returned 1000",
    body: `const a = Array.from({ length: 1000 }, (_, n) => n);
    a.sort(() => { a.length = 0; a.push({}); return Math.random() - 0.5; });
    return a.length;`,
  },
  {
    tries: "buffers that shrink while they are used",
    expect: 'returned ["number",0]',
    body: `const b = new ArrayBuffer(64, { maxByteLength: 128 });
    const view = new Uint8Array(b);
    view.sort(() => { b.resize(0); return 1; });
    b.resize(64); view.fill({ valueOf() { b.resize(0); return 1; } });
    b.resize(64); view.set([{ valueOf() { b.resize(0); return 1; } }]);
    b.resize(64); view.indexOf(5, { valueOf() { b.resize(0); return 9; } });
    return [typeof view[0], view.length].map((each) => (each === "undefined" ? "number" : each));`,
  },
  {
    tries: "a list that shrinks while it is read",
    expect: "returned true",
    body: `const a = Array(1000).fill(1);
    a.splice(0, { valueOf() { a.length = 0; return 500; } });
    a.concat(a).copyWithin(0, 5).lastIndexOf(1, { valueOf() { a.length = 0; return 900; } });
    const b = [1, 2, 3]; b.map(() => { b.length = 0; }); b.flatMap(() => b);
    return Array.isArray(a);`,
  },
]);
