import { type HostileScript, hostile } from "./hostile-script.ts";

/** Values that are not plain data, returned and given as parameters. */
const notData: Readonly<Record<string, string>> = {
  "a function": "() => 1",
  "a symbol": "Symbol('x')",
  "a BigInt": "1n",
  "a Date": "new Date(0)",
  "a Map": "new Map([[1, 2]])",
  "a Set": "new Set([1])",
  "a RegExp": "/a/",
  "an error": "new Error('x')",
  "an object of a class": "new (class A {})()",
  "a typed array": "new Uint8Array(4)",
  "a detached buffer": "(() => { const b = new ArrayBuffer(8); b.transfer?.(); return b; })()",
  "a boxed number": "Object(1)",
  "a boxed text": "Object('x')",
  NaN: "NaN",
  Infinity: "[-Infinity]",
  "a hole in a list": "[1, , 2]",
  "undefined in a list": "[undefined]",
  "a list of the greatest length": "(() => { const a = []; a.length = 2 ** 32 - 1; return a; })()",
  "half of a surrogate pair": String.raw`"\ud83d"`,
  "half of a surrogate pair as a key": String.raw`({ ["\ude00"]: 1 })`,
  "half of a surrogate pair at the cut of a long key": String.raw`({
    ["k".repeat(99) + "\ud83d\ude00"]: () => 1 })`,
  "__proto__ as a key": `JSON.parse('{"__proto__":{"a":1}}')`,
  "an object that holds itself": "(() => { const o = {}; o.o = o; return o; })()",
  "a list that holds itself": "(() => { const a = []; a.push(a); return a; })()",
  "nesting without end":
    "(() => { let o = 1; for (let n = 0; n < 5000; n++) o = [o]; return o; })()",
  "a getter that throws": "({ get a() { throw new Error('x'); } })",
  "a getter that throws itself around": "({ get a() { throw { get message() { throw 1; } }; } })",
  "a getter that throws broken text": String.raw`({ get a() { throw new Error("\ud800"); } })`,
  "a getter that makes new depth each time": `(() => {
    const deep = () => ({ get a() { return deep(); } });
    return deep(); })()`,
  "a proxy that throws": "new Proxy({}, { ownKeys() { throw new Error('x'); } })",
  "a proxy that is revoked":
    "({ get a() { const r = Proxy.revocable([], {}); r.revoke(); return r.proxy; } })",
  "a proxy of a list without an end": `new Proxy([], {
    get: (t, k) => (k === "length" ? Infinity : undefined) })`,
  "a null prototype around a function": "Object.assign(Object.create(null), { f() {} })",
  "arguments of a function": "(function () { return arguments; })(1, Symbol())",
  globalThis: "globalThis",
  "a generator": "(function* () {})()",
  ctx: "ctx",
  "a connection": "ctx.shop",
  "the SDK": "Keep",
};

export const values: readonly HostileScript[] = hostile([
  ...Object.entries(notData).map(([what, value]) => ({
    tries: `to return ${what}`,
    expect: "SCRIPT_VALUE",
    body: `return ${value.startsWith("(") || !value.includes("=>") ? value : `(${value})`};`,
  })),
  ...Object.entries(notData).map(([what, value]) => ({
    tries: `to hand over ${what} and go on`,
    expect: "SCRIPT_VALUE",
    body: `try { await ctx.shop.list({ a: ${value} }); } catch { after(); } finally { after(); }`,
  })),
  {
    tries: "a value that is another each time it is read",
    expect: "returned [1,2]",
    body: `let reads = 0;
    const o = { get a() { reads += 1; return reads; } };
    return [{ ...o }.a, o.a];`,
  },
  {
    tries: "a proxy that is a list with another length each time",
    expect: "returned [0,0]",
    body: `let length = 2;
    return new Proxy([], { get: (t, k) => (k === "length" ? length++ : 0) });`,
  },
  {
    tries: "a proxy with keys it has not",
    expect: "returned {}",
    body: `return new Proxy({}, { ownKeys: () => ["a", "b"] });`,
  },
  {
    tries: "a proxy of a plain record",
    expect: 'returned {"a":1}',
    body: "return new Proxy({ a: 1 }, {});",
  },
  {
    tries: "to return a million properties",
    expect: "SCRIPT_HEAP",
    body: "const o = {}; for (let n = 0; n < 1e6; n++) o['k' + n] = n; return o;",
  },
  {
    tries: "to return more than a value may hold",
    expect: "SCRIPT_VALUE_SIZE",
    body: `return "x".repeat(150000);`,
  },
  {
    tries: "to return more bytes than characters",
    expect: "SCRIPT_VALUE_SIZE",
    body: `return "€".repeat(40000);`,
  },
  {
    tries: "to return more state than may be kept",
    phase: "next",
    expect: "SCRIPT_STATE_SIZE",
    body: `return "x".repeat(30000);`,
  },
  {
    tries: "a very long key",
    expect: "SCRIPT_VALUE_SIZE",
    body: `return { ["k".repeat(150000)]: 1 };`,
  },
  {
    tries: "keys that are symbols or hidden",
    expect: "returned {}",
    body: `const o = { [Symbol("a")]: () => 1 };
    Object.defineProperty(o, "hidden", { value: () => 1 });
    return o;`,
  },
  {
    tries: "-0, the smallest and the largest numbers",
    expect: "returned [0,5e-324,1.7976931348623157e+308]",
    body: "return [-0, Number.MIN_VALUE, Number.MAX_VALUE];",
  },
  {
    tries: "texts that end other languages",
    expect: `returned ${JSON.stringify(["\0", "</script>", "\u2028", '"]'])}`,
    body: String.raw`return ["\0", "</script>", "\u2028", "\"]"];`,
  },
]);
