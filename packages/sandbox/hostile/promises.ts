import { type HostileScript, hostile } from "./hostile-script.ts";

/** Promises, jobs, iterators and thenables that want the end to be another one. */
export const promises: readonly HostileScript[] = hostile([
  {
    tries: "a job that throws into the engine and stops the others",
    expect: "returned 5",
    body: `class P extends Promise {
      constructor(run) { super((a, b) => { run(() => { throw 1; }, () => { throw 2; }); }); }
      static get [Symbol.species]() { return P; }
    }
    const p = Promise.resolve(1); p.constructor = P; p.then(() => 1); p.then(() => 2);
    for (let n = 0; n < 10; n++) await 0;
    return 5;`,
  },
  {
    tries: "a forbidden member at the edge of the stack",
    expect: "SCRIPT_FORBIDDEN",
    body: `const f = () => { try { f(); } catch {} ctx.publish("t", {}); };
    try { f(); } finally { after(); }`,
  },
  {
    tries: "a bad value at the edge of the stack",
    expect: "SCRIPT_VALUE",
    body: `const f = () => { try { f(); } catch {} ctx.shop.list(() => 1); };
    try { f(); } finally { after(); }`,
  },
  {
    tries: "a mutation at the edge of the stack",
    phase: "mutate",
    // There is no room to read its parameters; it is not sent, and there is no second try.
    expect: "SCRIPT_VALUE",
    body: `const f = () => { try { f(); } catch {} ctx.shop.send({ n: 1 }); after(); };
    try { f(); } finally { after(); }`,
  },
  {
    tries: "two mutations at once",
    phase: "mutate",
    expect: 'mutation shop.send {"n":1}',
    body: "await Promise.all([ctx.shop.send({ n: 1 }), ctx.shop.send({ n: 2 })]); after();",
  },
  {
    tries: "a mutation inside the parameters of a mutation",
    phase: "mutate",
    expect: 'mutation shop.send {"n":2}',
    body: "ctx.shop.send({ get a() { ctx.shop.send({ n: 2 }); return 1; } }); after();",
  },
  {
    tries: "a mutation after a mutation that was swallowed",
    phase: "mutate",
    expect: 'mutation shop.send {"n":1}',
    body: `for (const n of [1, 2]) { try { await ctx.shop.send({ n }); } catch { after(); } }
    after();`,
  },
  {
    tries: "a mutation from a job that was queued while the script was loaded",
    phase: "mutate",
    expect: 'mutation shop.send {"n":1}',
    top: `let tell; const told = new Promise((yes) => { tell = yes; });
    told.then((ctx) => { ctx.shop.send({ n: 1 }); ctx.shop.send({ n: 2 }); });`,
    body: `tell({ then: undefined, shop: ctx.shop }); await 0; await 0; after();`,
  },
  {
    tries: "to return and to call in a queued job",
    expect: "SCRIPT_CALL_LEFT_OPEN",
    body: "(async () => { for (let n = 0; n < 50; n++) await 0; ctx.shop.list(); })(); return 1;",
  },
  {
    tries: "to return a thenable that calls on after it has resolved",
    expect: "SCRIPT_CALL_LEFT_OPEN",
    body: `return { then(yes) {
      yes(1);
      (async () => { for (let n = 0; n < 9; n++) await 0; ctx.shop.list(); })();
    } };`,
  },
  {
    tries: "to return and to go on for ever in queued jobs",
    expect: "SCRIPT_FUEL",
    body: "(async () => { for (;;) await 0; })(); return 1;",
  },
  {
    tries: "to return and to do in a queued job what is forbidden",
    expect: "SCRIPT_FORBIDDEN",
    body: `(async () => { await 0; try { ctx.publish("t", {}); } finally { after(); } })();
      return 1;`,
  },
  {
    tries: "to return a thenable that resolves twice",
    expect: "returned 1",
    body: "return { then(yes, no) { yes(1); yes(2); no(3); throw 4; } };",
  },
  {
    tries: "to return a thenable that never resolves",
    expect: "SCRIPT_NEVER_SETTLES",
    body: "return { then() {} };",
  },
  {
    tries: "to return a promise that resolves to itself",
    expect: "SCRIPT_THREW",
    body: "let yes; const p = new Promise((y) => { yes = y; }); yes(p); return p;",
  },
  {
    tries: "to end without waiting for a call",
    expect: "SCRIPT_CALL_LEFT_OPEN",
    body: "ctx.shop.list(); return 1;",
  },
  {
    tries: "to end by a race while a call is open",
    expect: "SCRIPT_CALL_LEFT_OPEN",
    body: "return await Promise.race([ctx.shop.slow(), ctx.shop.list()]);",
  },
  {
    tries: "a call in a getter of the result",
    expect: "SCRIPT_CALL_LEFT_OPEN",
    body: "return { get a() { ctx.shop.list(); return 1; } };",
  },
  {
    tries: "an async generator that is never finished",
    expect: "returned 1",
    body: `const g = (async function* () { try { yield 1; yield 2; } finally { after(); } })();
    await g.next();
    return 1;`,
  },
  {
    tries: "a generator that is entered while it runs",
    expect: "SCRIPT_THREW",
    body: "const g = (function* () { g.next(); })(); g.next();",
  },
  {
    tries: "a promise of its own kind for every await",
    expect: "returned [1]",
    body: `class P extends Promise {}
    Promise.prototype.constructor = P;
    const settled = await ctx.shop.list();
    return [settled.length];`,
  },
  {
    tries: "a then of its own on the answer of the host",
    expect: 'returned "mine"',
    body: `const p = ctx.shop.list();
    p.then = (yes) => yes("mine");
    p.constructor = Object;
    const got = await p;
    await ctx.shop.list();
    return got;`,
  },
  {
    tries: "the promise of a call settled by the script first",
    expect: "returned [1]",
    top: `const old = Promise;
    globalThis.Promise = class extends old {
      constructor(run) { super((yes) => { yes("mine"); }); }
    };`,
    body: `const orders = await ctx.shop.list();
    return [orders.length];`,
  },
  {
    tries: "hundreds of promises over one answer",
    expect: "returned 500",
    body: `const p = ctx.shop.list();
    const all = await Promise.all(Array.from({ length: 500 }, () => p.then((list) => list.length)));
    return all.reduce((a, b) => a + b);`,
  },
  {
    tries: "an iterator that says it is done and goes on",
    expect: "returned [1]",
    body: `let n = 0;
    const it = { [Symbol.iterator]: () => it, next: () => ({ done: n > 0, value: ++n }) };
    return [...it];`,
  },
  {
    tries: "an iterator whose result throws when it is read",
    expect: "SCRIPT_THREW",
    body: `const it = { [Symbol.iterator]: () => it,
      next: () => ({ get done() { throw new Error("x"); } }),
      return() { after(); } };
    for (const n of it) after();`,
  },
  {
    tries: "async iterators over the answers of the host",
    expect: "returned 3",
    body: `async function* g() { for (let n = 0; n < 3; n++) yield (await ctx.shop.list()).length; }
    let sum = 0;
    for await (const n of g()) sum += n;
    return sum;`,
  },
  {
    tries: "well-known symbols on the handlers' list",
    expect: "returned 1",
    top: `Object.defineProperty(Object.prototype, Symbol.toStringTag, { value: "Promise" });
    Object.prototype[Symbol.isConcatSpreadable] = true;
    Object.prototype[Symbol.unscopables] = { ctx: true };`,
    body: "await ctx.shop.list([[1]]); return 1;",
  },
  {
    tries: "symbols of the registry to talk to another run",
    expect: 'returned "undefined"',
    body: `const key = Symbol.for("holdfast");
    const found = typeof Object.prototype[key];
    Object.prototype[key] = "left behind";
    return found;`,
  },
  {
    tries: "symbols as names of operations",
    expect: 'returned ["undefined","undefined"]',
    body: "return [typeof ctx[Symbol.for('shop')], typeof ctx.shop[Symbol.iterator]];",
  },
]);
