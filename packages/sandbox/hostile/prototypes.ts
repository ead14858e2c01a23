import { type HostileScript, hostile } from "./hostile-script.ts";

/** A well-behaved handler; what stands before it must not change what the host hears. */
const calls = `const orders = await ctx.shop.list({ a: [1, { b: "x" }] });
  ctx.log("before");
  return { count: orders.length };`;

const fine = 'returned {"count":1}';

/** Tampering that must not be noticed at all. */
const unnoticed: Readonly<Record<string, string>> = {
  "Array.prototype.toJSON": "Array.prototype.toJSON = () => ({ a: 'b', c: 1 });",
  "Array.prototype.toJSON that gives undefined": "Array.prototype.toJSON = () => undefined;",
  "Object.prototype.toJSON": "Object.prototype.toJSON = () => 5;",
  "String.prototype.toJSON": "String.prototype.toJSON = () => 5;",
  "JSON.stringify": "JSON.stringify = () => '[]';",
  "JSON.parse": "JSON.parse = () => { throw 1; };",
  "all of JSON": "globalThis.JSON = { stringify() {}, parse() {} };",
  "all statics of Reflect": "for (const k of Reflect.ownKeys(Reflect)) delete Reflect[k];",
  "all statics of Object": `for (const k of ["freeze", "create", "keys", "getOwnPropertyNames",
    "hasOwn", "entries", "assign", "defineProperty"]) Object[k] = () => { throw 1; };`,
  "Array.isArray": "Array.isArray = () => false;",
  "Number.isFinite": "Number.isFinite = () => false;",
  "String.prototype": `for (const k of ["slice", "isWellFormed", "charCodeAt", "toWellFormed"])
    String.prototype[k] = () => { throw 1; };`,
  "String.prototype.concat, which templates use": `String.prototype.concat = () => "shop.send";`,
  "String.prototype.concat by one that throws": "String.prototype.concat = () => { throw 1; };",
  "methods of Array.prototype": `for (const k of ["includes", "push", "map", "forEach", "join",
    "indexOf", "slice", "splice"]) Array.prototype[k] = () => { throw 1; };`,
  "the iterator of lists": `Array.prototype[Symbol.iterator] = function* () { yield "kv"; };`,
  "the iterator of lists, by one that throws": `Array.prototype[Symbol.iterator] =
    () => { throw 1; };`,
  "next() of list iterators": `Object.getPrototypeOf([][Symbol.iterator]()).next =
    () => ({ done: true });`,
  "Promise.prototype.then": "Promise.prototype.then = () => { throw 1; };",
  "Promise.resolve": "Promise.resolve = () => { throw 1; };",
  "the global Promise": "globalThis.Promise = class { constructor() { throw 1; } };",
  "the global Proxy": "globalThis.Proxy = class { constructor() { throw 1; } };",
  "Object.prototype.id": "Object.prototype.id = 1;",
  "Object.prototype.get": "Object.prototype.get = () => 1;",
  "Object.prototype.value": "Object.prototype.value = 7;",
  "Object.prototype.writable": "Object.prototype.writable = false;",
  "a getter of Object.prototype.id": `Object.defineProperty(Object.prototype, "id",
    { get() { throw 1; }, configurable: true });`,
  "an enumerable method of Object.prototype": "Object.prototype.extra = function () {};",
  "a list as an enumerable member of Object.prototype": "Object.prototype.extra = ['list'];",
  "setters of list places": `for (const at of [0, 1, 2]) Object.defineProperty(Array.prototype, at,
    { set() { throw 1; }, get() { return "kv"; } });`,
  "setters of names the host gives": `for (const k of ["log", "shop", "peek", "item", "list"])
    Object.defineProperty(Object.prototype, k, { set() { throw 1; }, get() { return 1; } });`,
  "Object.prototype.state and the like": `for (const k of ["offer", "given", "members", "phase"])
    Object.prototype[k] = "tampered";`,
  "Function.prototype.call, apply and bind": `for (const k of ["call", "apply", "bind"])
    Function.prototype[k] = () => { throw 1; };`,
  "Symbol.iterator of text": "String.prototype[Symbol.iterator] = () => { throw 1; };",
  "the prototype of Error": `Error.prototype.name = { get() { throw 1; } };
    Error.prototype.toString = () => { throw 1; };`,
  "prototypes by freezing them": `[Object.prototype, Array.prototype, Promise.prototype,
    Function.prototype, JSON, Math].forEach(Object.freeze);`,
  "the prototypes of lists, texts and functions to nothing": `const none = (p) =>
      Reflect.ownKeys(p).forEach((k) => { if (k !== "forEach") Reflect.deleteProperty(p, k); });
    none(String.prototype); none(Number.prototype); none(Function.prototype);
    none(Map.prototype); none(Array.prototype);`,
};

export const prototypes: readonly HostileScript[] = hostile([
  ...Object.entries(unnoticed).map(([what, top]) => ({
    tries: `to change ${what}`,
    expect: fine,
    top,
    body: calls,
  })),
  {
    tries: "to forge the name of a call by toJSON of lists",
    expect: "SCRIPT_FORBIDDEN",
    top: `Array.prototype.toJSON = () => ["shop.list", {}];`,
    body: "await ctx.shop.send({ n: 1 }); after();",
  },
  {
    tries: "to catch a forbidden member by a concat that throws",
    expect: "SCRIPT_FORBIDDEN",
    top: "String.prototype.concat = () => { throw 1; };",
    body: `try { ctx.publish("t", {}); } catch { after(); } after();`,
  },
  {
    tries: "to catch an absent operation by a concat that lies",
    expect: "SCRIPT_ABSENT",
    top: `String.prototype.concat = () => "then";`,
    body: "try { ctx.shop.nothing(); } catch { after(); } after();",
  },
  {
    tries: "to catch a bad value by setters that the engine's JSON uses",
    expect: "SCRIPT_VALUE",
    top: `for (const at of [0, 1, 2]) Object.defineProperty(Array.prototype, at,
      { set() { throw 1; }, configurable: true });`,
    body: "try { await ctx.shop.list({ a: [() => 1] }); } catch { after(); } after();",
  },
  {
    tries: "to change a value between reading and writing it",
    expect: 'returned [["a"]]',
    top: String.raw`Object.defineProperty(Array.prototype, 0, { configurable: true,
      set(value) { try { value.length = 0; value[0] = "\ud800"; } catch {} } });`,
    body: `return [["a"]];`,
  },
  {
    tries: "to empty the prototype of promises",
    expect: "SCRIPT_VALUE",
    top: "Reflect.ownKeys(Promise.prototype).forEach((k) => delete Promise.prototype[k]);",
    body: "return 1;",
  },
  {
    tries: "to forge an answer that was written by a polluted id",
    phase: "producer",
    expect: "returned 5",
    top: "Object.prototype.id = 99;",
    body: `await ctx.kv.set("a", 5); return await ctx.kv.get("a");`,
  },
  {
    tries: "to read a value that the host did not give",
    phase: "producer",
    expect: 'returned ["undefined","undefined"]',
    top: "Object.prototype.value = 7;",
    body: `await ctx.kv.delete("a");
    return [typeof (await ctx.kv.get("a")), typeof (await ctx.kv.get("unknown"))];`,
  },
  {
    tries: "to read a state, a trigger and a context that the host did not give",
    expect: 'returned ["undefined","undefined"]',
    top: `Object.prototype.state = Object.prototype.trigger = "mine";`,
    body: "return [typeof given, typeof ctx.trigger];",
  },
  {
    tries: "to give keys to a result by a tampered iterator",
    expect: 'returned {"a":1}',
    top: String.raw`const old = Array.prototype[Symbol.iterator];
    Array.prototype[Symbol.iterator] = function () {
      let reads = 0;
      const evil = { toString: () => (reads++ < 4 ? "a" : "\ud800") };
      return old.call(this.length === 1 && this[0] === "a" ? [evil] : this);
    };`,
    body: "return { a: 1 };",
  },
  {
    tries: "to pass off a list as text by a tampered prototype",
    expect: "returned [[],[]]",
    body: `const a = []; const b = [];
    Object.setPrototypeOf(b, null);
    Object.setPrototypeOf(a, String.prototype);
    return [a, b];`,
  },
  {
    tries: "to make every object a thenable",
    expect: "SCRIPT_NEVER_SETTLES",
    top: "Object.prototype.then = function () {};",
    body: "return {};",
  },
  {
    tries: "to swallow the end by a then that throws everywhere",
    expect: "SCRIPT_THREW",
    body: `Object.prototype.then = () => { throw new Error("no end"); };
    return {};`,
  },
]);
