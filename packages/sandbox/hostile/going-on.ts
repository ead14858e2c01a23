import { type AbortTrick, abortTricks } from "./abort-tricks.ts";
import { type HostileScript, hostile } from "./hostile-script.ts";

/**
 * Code of the guest that the language itself calls. The abort happens inside, and whoever called
 * tries to go on with what came back.
 */
const hooks: Readonly<Record<string, (abort: string) => string>> = {
  "a getter": (abort) => `const o = { get a() { ${abort} return 1; } };
    try { o.a; } finally { after(); }`,
  "a setter": (abort) => `const o = { set a(v) { ${abort} } };
    try { o.a = 1; } catch {} after();`,
  toString: (abort: string) => `const o = { toString() { ${abort} return ""; } };
    try { String(o); } catch {} after();`,
  valueOf: (abort: string) => `const o = { valueOf() { ${abort} return 1; } };
    try { o + 1; } catch {} after();`,
  "Symbol.toPrimitive": (abort) => `const o = { [Symbol.toPrimitive]() { ${abort} return 1; } };
    try { +o; } catch {} after();`,
  "a toJSON of what is logged": (abort) => `const o = { toJSON() { ${abort} return 1; } };
    try { console.log(o); } catch {} after();`,
  "a getter of what is returned": (abort) => `return { get a() { ${abort} return after(); } };`,
  "a getter of a parameter": (abort) => `try {
      ctx.log({ get a() { ${abort} return after(); } });
      ctx.shop.list({ get a() { ${abort} return after(); } });
    } catch {} after();`,
  "Symbol.species of a list": (abort) => `class L extends Array {
      static get [Symbol.species]() { ${abort} return Array; } }
    try { new L(1, 2).map(() => 1); } catch {} after();`,
  "Symbol.species of a promise": (abort) => `class P extends Promise {
      static get [Symbol.species]() { ${abort} return Promise; } }
    try { await new P((r) => r(1)).then(after); } catch {} after();`,
  "the constructor of a promise": (abort) => `const p = Promise.resolve(1);
    Object.defineProperty(p, "constructor", { get() { ${abort} return Promise; } });
    try { await p; } catch {} after();`,
  "return() of an iterator": (abort) => `const it = { [Symbol.iterator]() { return this; },
      next() { return { done: false, value: 1 }; }, return() { ${abort} return {}; } };
    try { for (const n of it) break; } catch {} finally { after(); }`,
  "return() of an async iterator": (
    abort,
  ) => `const it = { [Symbol.asyncIterator]() { return this; },
      next() { return { done: false, value: 1 }; },
      return() { ${abort} return {}; } };
    try { for await (const n of it) break; } catch {} finally { after(); }`,
  "finally of a generator that is left": (abort) => `function* g() {
      try { yield 1; } finally { ${abort} after(); yield 2; } }
    try { for (const n of g()) break; } catch {} finally { after(); }`,
  "throw() of a generator": (
    abort,
  ) => `function* g() { try { yield 1; } catch { ${abort} } after(); }
    const it = g(); it.next();
    try { it.throw(1); } catch {} after();`,
  "a thenable that is awaited": (abort) => `const o = { then(yes) { yes(1); ${abort} yes(2); } };
    try { await o; } catch {} after();`,
  "a then getter of what is returned": (abort) =>
    `return { get then() { ${abort} return after(); } };`,
  "a comparator": (abort) =>
    `try { [3, 1, 2].sort(() => { ${abort} return 1; }); } catch {} after();`,
  "a reviver": (abort) =>
    `try { JSON.parse("[1]", () => { ${abort} return 1; }); } catch {} after();`,
  "a replacer": (abort) =>
    `try { "aa".replace(/a/g, () => { ${abort} return ""; }); } catch {} after();`,
  "a trap of a proxy": (abort) => `const p = new Proxy({}, { has() { ${abort} return true; } });
    try { "a" in p; } catch {} after();`,
  "Symbol.hasInstance": (abort) => `const C = { [Symbol.hasInstance]() { ${abort} return true; } };
    try { 1 instanceof C; } catch {} after();`,
  "a default of a parameter": (abort) => `const f = (a = (() => { ${abort} })()) => after();
    try { f(); } catch {} after();`,
  "a static block": (abort) => `try { (() => class { static { ${abort} after(); } })(); } catch {}
    after();`,
  "a tag of a template": (abort) => `const tag = () => { ${abort} after(); };
    try { tag\`x\`; } catch {} after();`,
  "Promise.try and withResolvers": (abort) => `const w = Promise.withResolvers();
    w.promise.then(after, after);
    try { await Promise.try(() => { w.resolve(1); ${abort} }); } catch {} after();`,
  "Reflect.construct": (abort) => `const target = new Proxy(class {}, {
      get(t, k) { ${abort} return Reflect.get(t, k); } });
    try { Reflect.construct(Object, [], target); } catch {} after();`,
  "the message of an error that is thrown": (abort) => `const e = new Error("x");
    Object.defineProperty(e, "message", { get() { ${abort} return after(); } });
    throw e;`,
};

/** A different trick for each hook, so that all of them meet in few scripts. */
const tricks: readonly AbortTrick[] = abortTricks.filter(({ phase }) => phase !== "job");

export const goingOn: readonly HostileScript[] = hostile(
  Object.entries(hooks).map(([where, hook], index) => {
    const { name, phase, code, expect } = tricks[(index * 7) % tricks.length] as AbortTrick;
    return { tries: `${name}, in ${where}`, phase, expect, body: hook(code) };
  }),
);
