import { type HostileScript, hostile } from "./hostile-script.ts";

/** Whatever is thrown, the verdict is that it was thrown. */
const thrown: Readonly<Record<string, string>> = {
  nothing: "undefined",
  null: "null",
  "a symbol": "Symbol('x')",
  "a BigInt": "1n",
  "a function": "() => 1",
  "an object that throws when it is read": `new Proxy({}, { get() { throw 1; },
    getPrototypeOf() { throw 1; } })`,
  "an error with broken text": String.raw`new Error("\ud800")`,
  "an error with a broken name": String.raw`Object.assign(new Error("x"), { name: "\udc00" })`,
  "an error whose message is cut in half": String.raw`new Error("a".repeat(1999) + "\ud83d\ude00")`,
  "broken text": String.raw`"\ud800"`,
  "an error with a message of a megabyte": `new Error("x".repeat(1e6))`,
  "an error whose message is an object": `Object.defineProperty(new Error(), "message",
    { value: {} })`,
  "an error whose getters throw": `Object.defineProperty(new Error(), "message",
    { get() { throw 1; } })`,
  "an error without a prototype": "Object.setPrototypeOf(new Error('x'), null)",
  "an error with itself as its cause": `(() => {
    const e = new Error("x"); e.cause = e; return e; })()`,
  "a stack that names a line without end": `Object.defineProperty(new Error("x"), "stack",
    { value: "(script.js:" + "9".repeat(400) + ":1)" })`,
  "a promise": "Promise.resolve(1)",
  "a thenable": "{ then() { after(); } }",
  ctx: "ctx",
  "an abort that it made itself": `Object.assign(new Error("A guest was stopped."), { code: 1 })`,
  "a failure that it made itself": `{ kind: "failed", failure: { code: "SCRIPT_HEAP" } }`,
};

export const thrownThings: readonly HostileScript[] = hostile([
  ...Object.entries(thrown).map(([what, value]) => ({
    tries: `to throw ${what}`,
    expect: "SCRIPT_THREW",
    body: `throw ${value.startsWith("{") || value.startsWith("(") ? `(${value})` : value};`,
  })),
  ...Object.entries(thrown).map(([what, value]) => ({
    tries: `to throw ${what} while it is loaded`,
    expect: "load SCRIPT_LOAD",
    whole: `const ctx = {}, after = () => {};\nthrow (${value});`,
  })),
  {
    tries: "to reject with a getter that calls on",
    expect: "SCRIPT_FORBIDDEN",
    body: `const e = new Error("x");
    Object.defineProperty(e, "stack", { get() { ctx.publish("t", {}); after(); } });
    return Promise.reject(e);`,
  },
  {
    tries: "to reject and never to be caught, besides a good result",
    expect: "returned 1",
    body: `Promise.reject(1); Promise.reject(new Error("x")); (async () => { throw 2; })();
    return 1;`,
  },
]);
