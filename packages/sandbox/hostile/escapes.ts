import { type HostileScript, hostile } from "./hostile-script.ts";

/** Names that lead out of other engines and hosts. */
const outside = `const outside = ["process", "require", "module", "exports", "window", "self",
  "Buffer", "fetch", "XMLHttpRequest", "WebSocket", "EventSource", "Deno", "Bun", "setTimeout",
  "setInterval", "setImmediate", "queueMicrotask", "postMessage", "navigator", "performance",
  "crypto", "__host", "holdfastGuest", "std", "os", "bjson", "print", "load", "scriptArgs", "gc",
  "WebAssembly", "Worker", "importScripts", "structuredClone", "Intl", "WeakRef", "eval",
  "FinalizationRegistry", "SharedArrayBuffer", "Atomics", "Temporal", "ShadowRealm"];`;

/** Everything that can be reached from an object by properties and prototypes. */
const walk = `const walk = (...roots) => {
  const seen = new Set(), names = new Set();
  const visit = (o) => {
    if ((typeof o !== "object" && typeof o !== "function") || o === null || seen.has(o)) return;
    seen.add(o);
    visit(Object.getPrototypeOf(o));
    for (const key of Reflect.ownKeys(o)) {
      names.add(String(key));
      const d = Reflect.getOwnPropertyDescriptor(o, key);
      visit(d.value); visit(d.get); visit(d.set);
    }
  };
  roots.forEach(visit);
  return names;
};`;

/** A way to code from text; each must end the run before anything is made. */
const toCode: Readonly<Record<string, string>> = {
  "the constructor of a constructor": `({}).constructor.constructor("return 1")();`,
  "the constructor of an async function": `(async () => {}).constructor("return 1")();`,
  "the constructor of a generator": `(function* () {}).constructor("yield 1")();`,
  "the constructor of an async generator": `(async function* () {}).constructor("yield 1")();`,
  "Reflect.construct of Function": `Reflect.construct(Function, ["return 1"]);`,
  "Function as a parent": `new (class extends Function {})("return 1");`,
  "Function by apply": `Function.apply(null, ["return 1"]);`,
  "Function by bind": `Function.bind(null, "return 1")();`,
  "the constructor of ctx.log": `ctx.log.constructor("return 1")();`,
  "the constructor of an operation": `ctx.shop.list.constructor("return 1")();`,
  "the constructor of console.log": `console.log.constructor("return 1")();`,
  "the constructor of Keep.workflow": `Keep.workflow.constructor("return 1")();`,
  "the constructor of a getter": `Object.getOwnPropertyDescriptor(Map.prototype, "size")
    .get.constructor("return 1")();`,
  "the constructor of an error's constructor": `try { null.x; } catch (e) {
    e.constructor.constructor("return 1")(); }`,
  "the constructor of Math.random": `Math.random.constructor("return 1")();`,
};

export const escapes: readonly HostileScript[] = hostile([
  ...Object.entries(toCode).map(([way, body]) => ({
    tries: `to make code through ${way}`,
    expect: "SCRIPT_CODE_FROM_TEXT",
    body,
  })),
  {
    tries: "to find a global that leads out",
    expect: "returned []",
    top: outside,
    body: "return outside.filter((name) => name in globalThis);",
  },
  {
    tries: "to find anything that leads out by walking from all globals",
    expect: "returned []",
    top: outside + walk,
    body: `const names = walk(globalThis, ctx, given, after, new Error("x"), Promise.resolve());
    return outside.filter((name) => name !== "load" && names.has(name));`,
  },
  {
    tries: "this of a plain function in code that is not strict",
    expect: "returned []",
    whole: `${outside} var found = (function () { return this; })();
    var made = Keep.workflow({ name: "w", topics: {}, consumers: { c: { async prepare(ctx) {
      const also = (function () { return this; })();
      return [found, also].flatMap((o) => outside.filter((n) => o !== undefined && n in o));
    } } } }); made`,
  },
  {
    tries: "to call eval directly",
    expect: "SCRIPT_THREW",
    body: `return eval("1");`,
  },
  {
    tries: "to call eval indirectly",
    expect: "SCRIPT_THREW",
    body: `return (0, globalThis["ev" + "al"])("1");`,
  },
  {
    tries: "to import a module of Node",
    expect: "SCRIPT_THREW",
    body: `const { readFileSync } = await import("node:fs"); return readFileSync("/etc/passwd");`,
  },
  {
    tries: "to import a file, a page and code in an address",
    expect: 'returned ["rejected","rejected","rejected","rejected"]',
    body: `const tried = ["/etc/passwd", "https://example.com/x.js", "data:text/javascript,1",
      "./x.js"]
      .map((address) => import(address));
    return (await Promise.allSettled(tried)).map((each) => each.status);`,
  },
  {
    tries: "the frames of a stack trace as objects",
    expect: 'returned ["undefined","undefined","string"]',
    top: "var frames; Error.prepareStackTrace = (e, f) => { frames = f; return f; };",
    body: `const { stack } = new Error("x");
    return [typeof frames, typeof Error.captureStackTrace, typeof stack];`,
  },
  {
    tries: "a path of the host in a stack trace",
    expect: "returned []",
    body: `const deep = (n) => (n === 0 ? new Error("x").stack : deep(n - 1));
    return deep(20).match(/node_modules|work|file:|wasm|worker|thread|\\.ts/g) ?? [];`,
  },
  {
    tries: "callers and arguments of the guest's own part",
    expect: 'returned ["TypeError","TypeError","TypeError"]',
    body: `const name = (f) => { try { return typeof f(); } catch (e) { return e.name; } };
    return [name(() => ctx.log.caller), name(() => (function () { return arguments.callee; })()),
      name(() => ctx.shop.list.arguments)];`,
  },
  {
    tries: "to find something of the host in what the host gave",
    expect: "returned []",
    call: { trigger: `{"kind":"manual"}`, given: { state: `{"n":[1]}` } },
    top: outside + walk,
    body: `const settled = await ctx.shop.list();
    const names = walk(settled, given, ctx.trigger, await ctx.peek("t"));
    const own = [settled, given, given.n, ctx.trigger].map((o) => Object.getPrototypeOf(o));
    const plain = own.every((p) => p === Object.prototype || p === Array.prototype);
    return plain ? outside.filter((name) => names.has(name)) : ["a foreign prototype"];`,
  },
  {
    tries: "to reach raw members of ctx by traps that its proxy inherits",
    expect: "returned []",
    top: `const raw = [];
    for (const trap of ["has", "ownKeys", "getOwnPropertyDescriptor", "getPrototypeOf", "set"]) {
      Object.prototype[trap] = function (target, ...rest) {
        raw.push(trap);
        return Reflect[trap](target, ...rest);
      };
    }`,
    body: `"a" in ctx; Object.keys(ctx); Object.getPrototypeOf(ctx.shop); Reflect.set(ctx, "a", 1);
    return raw;`,
  },
  {
    tries: "a number of a native function that was dropped",
    expect: 'returned "undefined"',
    body: `for (let n = 0; n < 1000; n++) { ctx.shop; ctx.log.bind(null); ctx.shop.list.bind(ctx); }
    return typeof globalThis.__host;`,
  },
  {
    tries: "to forge the host's function before a handler begins",
    expect: "returned 1",
    top: `globalThis.__host = (kind, text) => { throw kind + text; };`,
    body: "await ctx.shop.list(); return 1;",
  },
]);
