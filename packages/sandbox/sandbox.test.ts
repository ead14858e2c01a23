import { describe, expect, test } from "vitest";
import { sandboxLimitDefaults } from "./limits.ts";
import type { GuestCall, PhaseCall } from "./run/phase.ts";
import { Sandbox } from "./sandbox.ts";
import {
  answering,
  loadScript,
  sandboxInTests,
  scriptOf,
  somePhase,
  verdictOf,
} from "./testing/script.ts";

const theSandbox = sandboxInTests({
  limits: { runningMsMax: 2_000, waitingMsMax: 500, eventsMax: 100, logLinesMax: 100 },
});

const producer = (handler: string): PhaseCall => ({ ...somePhase, phase: "producer", handler });

/** Built-in code that takes minutes and never lets the engine look up. */
const builtin = "('a'.repeat(300_000)).indexOf('a'.repeat(150_000) + 'b');";

test("[R142] the limits are those of the contract", () => {
  expect(sandboxLimitDefaults).toMatchObject({
    heapBytesMax: 16 * 1024 * 1024,
    stackBytesMax: 256 * 1024,
    runningMsMax: 5_000,
    waitingMsMax: 300_000,
    loadingMsMax: 5_000,
    logLineCharsMax: 1_000,
  });
});

describe("limits", () => {
  test.each([
    ["[S60] a loop without end", "for (;;) {}", "SCRIPT_RUNNING_TIME"],
    ["a built-in function that runs for minutes", builtin, "SCRIPT_RUNNING_TIME"],
    ["[S60] a memory bomb", "for (let a = []; ; ) a.push(new Array(999).fill(1));", "SCRIPT_HEAP"],
    ["a text of 100 MB", "return 'x'.repeat(1e8).length;", "SCRIPT_HEAP"],
    ["[S60] recursion without end", "const f = () => 1 + f(); f();", "SCRIPT_STACK"],
    ["[S60] a promise that never settles", "await new Promise(() => {});", "SCRIPT_NEVER_SETTLES"],
    ["a host that does not answer", "await ctx.shop.getOrder(1);", "SCRIPT_WAITING_TIME"],
    ["[R27] state that is too large", "return 'x'.repeat(262_144);", "SCRIPT_STATE_SIZE"],
    ["[S60] a flood of log lines", "for (;;) ctx.log('x');", "SCRIPT_LOGS"],
    ["a flood of events", "for (;;) await ctx.publish('orders', { n: 1 });", "SCRIPT_EVENTS"],
    ["a value that holds itself", "const a = {}; a.a = a; return a;", "SCRIPT_VALUE"],
  ])("[R115] [R132] %s ends as %s", async (_, body, code) => {
    const definition = `{ producers: { h: async (ctx) => { ${body} } } }`;
    const script = await loadScript(theSandbox(), definition);
    const options = { perform: () => new Promise<never>(() => {}) };
    expect(verdictOf(await theSandbox().run(script, producer("h"), options))).toBe(code);
  });

  test("[R89] a phase says how long its code ran, in all items, without its waits", async () => {
    const burn = "for (let n = 0; n < 100_000; n++);";
    const item = (id: string) => `await ctx.withItem("${id}", "${id}", async () => { ${burn} });`;
    const definition = `{ jobs: { h: async (ctx) => { ${item("a")} ${item("b")} } } }`;
    const script = await loadScript(theSandbox(), definition);
    let waitedMs = 0;
    const told: number[] = [];
    const perform = async ({ name }: GuestCall, activeMs: number) => {
      const since = performance.now();
      told.push(activeMs);
      await new Promise((resolve) => setTimeout(resolve, 20));
      waitedMs += performance.now() - since;
      const value = name === "ctx.withItem" ? '{"isDone":false}' : "null";
      return { kind: "value", value } as const;
    };
    const call: PhaseCall = { ...somePhase, phase: "job", handler: "h" };
    const since = performance.now();
    const { activeMs, used } = await theSandbox().run(script, call, { perform });
    const elapsedMs = performance.now() - since;
    expect(activeMs).toBeLessThanOrEqual(elapsedMs - waitedMs);
    // What is limited begins anew with each item; what is told does not.
    expect(activeMs).toBeGreaterThan(used.runningMs);
    expect(told).toHaveLength(4);
    expect(told).toEqual([...told].sort((a, b) => a - b));
    expect(told[3]).toBeGreaterThan(told[1] ?? 0);
    expect(activeMs).toBeGreaterThanOrEqual(told[3] ?? 0);
  });

  test("[R89] code that had to be ended has run for as long as it may", async () => {
    const script = await loadScript(theSandbox(), `{ producers: { h: () => { ${builtin} } } }`);
    const { activeMs } = await theSandbox().run(script, producer("h"), answering(null));
    expect(activeMs).toBeGreaterThanOrEqual(2_000);
  });

  test("what a handler began and did not wait for is finished, not lost", async () => {
    const body = `[1, 2, 3].forEach(async (n) => {
      for (let wait = 0; wait < n; wait++) await null;
      await ctx.publish("orders", { messageId: String(n) });
    });
    return { after: 3 };`;
    const definition = `{ producers: { h: async (ctx) => { ${body} } } }`;
    const script = await loadScript(theSandbox(), definition);
    const outcome = await theSandbox().run(script, producer("h"), answering(1));
    expect(verdictOf(outcome)).toBe('returned {"after":3}');
    expect(outcome.record.publications.map(({ messageId }) => messageId)).toEqual(["1", "2", "3"]);
  });

  test("log lines are cut at their length", async () => {
    const script = await loadScript(
      theSandbox(),
      "{ producers: { h: (ctx) => ctx.log('x'.repeat(5000)) } }",
    );
    const { record } = await theSandbox().run(script, producer("h"), answering(1));
    expect(record.logs.map(({ text }) => text.length)).toEqual([1_000]);
  });

  test("a run that is ended from outside disturbs no other", async () => {
    const hung = await loadScript(theSandbox(), `{ producers: { h: () => { ${builtin} } } }`);
    const calm = await loadScript(
      theSandbox(),
      "{ producers: { h: (ctx) => ctx.shop.getOrder(1) } }",
    );
    const runs = Array.from({ length: 6 }, (_, index) =>
      theSandbox().run(index % 2 === 0 ? hung : calm, producer("h"), answering("fine")),
    );
    const verdicts = (await Promise.all(runs)).map(verdictOf);
    expect(verdicts.filter((verdict) => verdict === "SCRIPT_RUNNING_TIME")).toHaveLength(3);
    expect(verdicts.filter((verdict) => verdict === 'returned "fine"')).toHaveLength(3);
  });
});

describe("a sandbox with one thread", () => {
  const oneThread = sandboxInTests({ threadsMax: 1, limits: { runningMsMax: 1_000 } });

  test("[R115] neither loses nor blames those who stand behind one that hangs", async () => {
    const hung = await loadScript(oneThread(), `{ producers: { h: () => { ${builtin} } } }`);
    const calm = await loadScript(
      oneThread(),
      "{ producers: { h: (ctx) => ctx.shop.getOrder(1) } }",
    );
    const scripts = [calm, hung, calm, calm, hung, calm, calm, calm];
    const runs = scripts.map((script) => oneThread().run(script, producer("h"), answering("fine")));
    const verdicts = (await Promise.all(runs)).map(verdictOf);
    const wanted = scripts.map((script) =>
      script === hung ? "SCRIPT_RUNNING_TIME" : 'returned "fine"',
    );
    expect(verdicts).toEqual(wanted);
  });
});

describe("isolates", () => {
  const counting = `(() => {
    let count = 0;
    const seen = {};
    return { producers: { h: () => { count += 1; seen[count] = true; return [count, seen]; } } };
  })()`;

  test("[R7] share no memory: what a run leaves in the script is gone for the next", async () => {
    const script = await loadScript(theSandbox(), counting);
    for (let round = 0; round < 5; round++) {
      const outcome = await theSandbox().run(script, producer("h"), answering(1));
      expect(verdictOf(outcome)).toBe('returned [1,{"1":true}]');
    }
  });

  test("[R7] have globals that cannot be written", async () => {
    const body = "globalThis.shared = 1; return 1;";
    const script = await loadScript(theSandbox(), `{ producers: { h: () => { ${body} } } }`);
    const outcome = await theSandbox().run(script, producer("h"), answering(1));
    expect(verdictOf(outcome)).toBe("SCRIPT_THREW");
  });

  test("of scripts whose image was dropped are made again", async () => {
    const small = await Sandbox.open({ threadsMax: 1, imageBytesMax: 1 });
    const one = await loadScript(small, "{ producers: { h: () => 'one' } }");
    const two = await loadScript(small, "{ producers: { h: () => 'two' } }");
    for (const [script, want] of [
      [one, '"one"'],
      [two, '"two"'],
      [one, '"one"'],
    ] as const) {
      expect(verdictOf(await small.run(script, producer("h"), answering(1)))).toBe(
        `returned ${want}`,
      );
    }
    await small.close();
  });
});

describe("a consumer", () => {
  const definition = `{ consumers: { h: {
    prepare: async (ctx, state) => {
      if (state === "waits") await ctx.shop.getOrder(1);
      if (state === "fails") throw new Error("no");
      const all = [{ topic: "orders", ids: ["m"] }];
      return { reservations: state === "nothing" ? [] : all, data: 7 };
    },
    mutate: async (ctx, prepared) => {
      if (prepared.data === 7) await ctx.shop.bookOrder({ data: prepared.data });
      ctx.log("never");
    },
  } } }`;

  test.each([
    ["at once", '"now"', "mutation bookOrder"],
    ["after a wait", '"waits"', "mutation bookOrder"],
    ["not, when nothing was reserved", '"nothing"', null],
    ["not, when prepare failed", '"fails"', null],
  ])("[R39] goes from prepare into mutate %s", async (_, state, want) => {
    const script = await loadScript(theSandbox(), definition);
    const base: PhaseCall = { ...somePhase, phase: "prepare", handler: "h", given: { state } };
    const calls = { prepare: base, mutate: { ...base, phase: "mutate", given: {} } } as const;
    const { prepare, mutate } = await theSandbox().runConsumer(script, calls, answering(1));
    expect(prepare.result.kind).toBe(state === '"fails"' ? "failed" : "returned");
    expect(mutate === null ? null : verdictOf(mutate)).toBe(want);
    expect(mutate?.record.logs ?? []).toEqual([]);
  });

  test("whose mutate hangs is told so, not that prepare did", async () => {
    const hanging = `{ consumers: { h: {
      prepare: () => ({ reservations: [{ topic: "orders", ids: ["m"] }] }),
      mutate: () => { ${builtin} },
    } } }`;
    const script = await loadScript(theSandbox(), hanging);
    const base: PhaseCall = { ...somePhase, phase: "prepare", handler: "h" };
    const calls = { prepare: base, mutate: { ...base, phase: "mutate" } } as const;
    const { prepare, mutate } = await theSandbox().runConsumer(script, calls, answering(1));
    expect(prepare.result.kind).toBe("returned");
    expect(mutate === null ? null : verdictOf(mutate)).toBe("SCRIPT_RUNNING_TIME");
  });

  test("[S2] of two mutations at once exactly one is sent", async () => {
    const twice = `{ consumers: { h: { mutate: async (ctx) => {
      await Promise.all([ctx.shop.bookOrder({ n: 1 }), ctx.shop.bookOrder({ n: 2 })]);
    } } } }`;
    const script = await loadScript(theSandbox(), twice);
    const call: PhaseCall = { ...somePhase, phase: "mutate", handler: "h" };
    const outcome = await theSandbox().run(script, call, answering(1));
    expect(outcome.result).toMatchObject({ kind: "mutation", call: { params: '{"n":1}' } });
    expect(outcome.trace).toEqual([]);
  });
});

describe("items of a job", () => {
  const job: PhaseCall = { ...somePhase, phase: "job", handler: "h" };
  const run = async (body: string, isDone = false) => {
    const definition = `{ jobs: { h: { handler: async (ctx) => { ${body} } } } }`;
    const calls: string[] = [];
    const outcome = await theSandbox().run(await loadScript(theSandbox(), definition), job, {
      perform: async ({ name, params }) => {
        calls.push(`${name} ${params}`);
        return { kind: "value", value: name === "ctx.withItem" ? `{"isDone":${isDone}}` : '"ok"' };
      },
    });
    return { outcome, calls };
  };

  test("[L22] [R151] find everything as globals, and may mutate more than once", async () => {
    const { outcome, calls } = await run(`
      await withItem("a", "A", async (ctx) => {
        if (ctx.item.isDone) return;
        await shop.bookOrder({ to: "x", subkey: "first" });
        await shop.bookOrder({ to: "x", subkey: "second" });
      });`);
    expect(verdictOf(outcome)).toBe("returned null");
    expect(calls).toEqual([
      'ctx.withItem ["a","A"]',
      'shop.bookOrder {"to":"x","subkey":"first"}',
      'shop.bookOrder {"to":"x","subkey":"second"}',
      "ctx.itemDone []",
    ]);
  });

  test("[L2] that are asked for at once come one after the other", async () => {
    const { calls } = await run(`
      const item = (id) => ctx.withItem(id, id, (ctx) => ctx.shop.bookOrder(id));
      await Promise.all(["a", "b"].map(item));`);
    expect(calls).toEqual([
      'ctx.withItem ["a","a"]',
      'shop.bookOrder "a"',
      "ctx.itemDone []",
      'ctx.withItem ["b","b"]',
      'shop.bookOrder "b"',
      "ctx.itemDone []",
    ]);
  });

  test("that are done are left without a word, unless something was published", async () => {
    const { outcome, calls } = await run(
      `await ctx.withItem("a", "A", async () => {});
       await ctx.withItem("b", "B", (ctx) => ctx.publish("orders", { messageId: "m" }));
       await ctx.withItem("c", "C", async () => {});
       await shop.bookOrder({});`,
      true,
    );
    expect(calls.map((each) => each.slice(0, 20))).toEqual([
      'ctx.withItem ["a","A',
      'ctx.withItem ["b","B',
      'ctx.itemDone [{"topi',
      'ctx.withItem ["c","C',
    ]);
    expect(verdictOf(outcome)).toBe("SCRIPT_FORBIDDEN");
  });

  test.each([
    ["[L17] a mutation outside of any", "await shop.bookOrder(1);", "SCRIPT_FORBIDDEN"],
    [
      "[L2] one inside another",
      "await ctx.withItem('a', 'A', (ctx) => ctx.withItem('b', 'B', () => 1));",
      "SCRIPT_FORBIDDEN",
    ],
    [
      "[L2] one inside another, by the global",
      "await withItem('a', 'A', () => withItem('b', 'B', () => 1));",
      "SCRIPT_NEVER_SETTLES",
    ],
    ["one without a handler", "await withItem('a', 'A');", "SCRIPT_FORBIDDEN"],
    ["one without an id", "await withItem('', 'A', () => 1);", "SCRIPT_VALUE"],
  ])("%s ends the run", async (_, body, code) => {
    expect(verdictOf((await run(body)).outcome)).toBe(code);
  });
});

describe("loading", () => {
  test.each([
    ["code that cannot be read", "this is not code", "SCRIPT_LOAD"],
    ["code that throws", "throw new Error('at load')", "SCRIPT_LOAD"],
    ["a definition that holds itself", "const a = {}; a.a = a; a", "SCRIPT_LOAD"],
    ["a definition that is too large", "({ a: 'x'.repeat(2e6) })", "SCRIPT_VALUE_SIZE"],
  ])("%s is a failure with its code", async (_, code, want) => {
    const loaded = await theSandbox().load(`"use strict"; ${code}`);
    expect(loaded).toMatchObject({ ok: false, failure: { code: want } });
  });

  test("a loop without end is a failure with its code", async () => {
    const quick = await Sandbox.open({ threadsMax: 1, limits: { loadingMsMax: 200 } });
    const loaded = await quick.load(`"use strict"; for (;;) {}`);
    expect(loaded).toMatchObject({ ok: false, failure: { code: "SCRIPT_RUNNING_TIME" } });
    await quick.close();
  });

  test("gives the definition, with functions by their names", async () => {
    const definition = `{ name: "a", producers: { p: async function poll() {} } }`;
    const loaded = await theSandbox().load(scriptOf(definition));
    expect(loaded).toMatchObject({
      ok: true,
      script: { definition: '{"name":"a","producers":{"p":{"$function":"poll"}}}' },
    });
  });
});
