import { describe, expect, test } from "vitest";
import {
  answering,
  loadScript,
  messageOf,
  sandboxInTests,
  somePhase,
  verdictOf,
} from "../testing/script.ts";
import type { GuestCall, PhaseCall } from "./phase.ts";
import type { CallAnswer, RunOptions } from "./phase-run.ts";

const theSandbox = sandboxInTests();

const producer: PhaseCall = { ...somePhase, phase: "producer", handler: "h" };

/** One producer with this body. */
async function runProducer(body: string, options: RunOptions, call = producer) {
  const script = await loadScript(
    theSandbox(),
    `{ producers: { h: async (ctx, state) => { ${body} } } }`,
  );
  return theSandbox().run(script, call, options);
}

const value = (given: unknown): CallAnswer => ({ kind: "value", value: JSON.stringify(given) });

describe("calls that the host answers", () => {
  test("come back one after the other", async () => {
    const names: string[] = [];
    const perform = async (call: GuestCall) => {
      names.push(`${call.name} ${call.params}`);
      return value(names.length);
    };
    const body = `
      const one = await ctx.shop.getOrder({ id: "a" });
      const two = await ctx.shop.getOrder({ id: one });
      return [one, two];`;
    expect(verdictOf(await runProducer(body, { perform }))).toBe("returned [1,2]");
    expect(names).toEqual(['shop.getOrder {"id":"a"}', 'shop.getOrder {"id":1}']);
  });

  test("take no room once the script has let go of them", async () => {
    const answer = "x".repeat(1_000_000);
    const body = `
      let length = 0;
      for (let no = 0; no < 40; no++) length += (await ctx.shop.getOrder({ no })).length;
      return length;`;
    expect(answer.length * 40).toBeGreaterThan(2 * theSandbox().limits.heapBytesMax);
    expect(verdictOf(await runProducer(body, answering(answer)))).toBe("returned 40000000");
  });

  test("are under way at once with Promise.all, and each answer reaches its own call", async () => {
    const waiting = new Map<string, (answer: CallAnswer) => void>();
    const perform = ({ params }: GuestCall) => {
      const answered = new Promise<CallAnswer>((resolve) => waiting.set(params, resolve));
      if (waiting.size === 3)
        for (const each of ["3", "1", "2"]) waiting.get(each)?.(value(`${each}!`));
      return answered;
    };
    const body = "return Promise.all([1, 2, 3].map((n) => ctx.shop.getOrder(n)));";
    expect(verdictOf(await runProducer(body, { perform }))).toBe('returned ["1!","2!","3!"]');
  });

  test("that are left without await are an error of the script", async () => {
    const outcome = await runProducer("ctx.shop.getOrder(1); return 1;", answering(1));
    expect(verdictOf(outcome)).toBe("SCRIPT_CALL_LEFT_OPEN");
  });

  test("[R58] end the run when the host stops them, and no catch hears of it", async () => {
    const body = `
      try { await ctx.shop.getOrder(1); }
      catch { ctx.log("caught"); }
      finally { ctx.log("finally"); }
      ctx.log("after");`;
    const perform = async (): Promise<CallAnswer> => ({ kind: "stop", reason: "rate limit" });
    const outcome = await runProducer(body, { perform });
    expect(verdictOf(outcome)).toBe("stopped rate limit");
    expect(outcome.record.logs).toEqual([]);
    expect(outcome.trace).toMatchObject([{ name: "shop.getOrder", stopped: true }]);
  });

  test("that the host itself fails at are the host's error, not the script's", async () => {
    const perform = () => Promise.reject(new Error("a bug"));
    await expect(runProducer("await ctx.shop.getOrder(1)", { perform })).rejects.toThrow("a bug");
  });

  test("[R133] answered after the run has ended reach nobody", async () => {
    let answerLate: (answer: CallAnswer) => void = () => {};
    const late = new Promise<CallAnswer>((resolve) => {
      answerLate = resolve;
    });
    const perform = ({ params }: GuestCall) =>
      params === "1" ? late : Promise.resolve<CallAnswer>({ kind: "stop", reason: "enough" });
    const body = "await Promise.all([ctx.shop.getOrder(1), ctx.shop.getOrder(2)]); ctx.log('on');";
    const outcome = await runProducer(body, { perform });
    expect(verdictOf(outcome)).toBe("stopped enough");
    answerLate(value("of another run"));
    const next = await runProducer("return ctx.shop.getOrder(1);", answering("own"));
    expect(verdictOf(next)).toBe('returned "own"');
    expect(outcome.record.logs).toEqual([]);
  });

  test("[R132] are counted", async () => {
    const body = "for (;;) await ctx.shop.getOrder(1);";
    const outcome = await runProducer(body, answering(null));
    expect(verdictOf(outcome)).toBe("SCRIPT_CALLS");
    expect(outcome.used.calls).toBe(theSandbox().limits.callsMax + 1);
  });

  test("end at once when a person stops the run", async () => {
    const stop = new AbortController();
    const perform = () => {
      stop.abort("paused");
      return new Promise<CallAnswer>(() => {});
    };
    const outcome = await runProducer("await ctx.shop.getOrder(1)", {
      perform,
      stopped: stop.signal,
    });
    expect(verdictOf(outcome)).toBe("stopped paused");
  });
});

describe("what a script reaches for", () => {
  test("in a connection that has it not is named, with what there is", async () => {
    const outcome = await runProducer("await ctx.shop.getOrders()", answering(1));
    expect(verdictOf(outcome)).toBe("SCRIPT_ABSENT");
    expect(messageOf(outcome)).toContain("shop.getOrders");
    expect(messageOf(outcome)).toContain("getOrder, findOrder");
  });

  test("as a connection that is not there is named, with those that are", async () => {
    const outcome = await runProducer("await ctx.mail.search()", answering(1));
    expect(messageOf(outcome)).toBe("There is no ctx.mail. There is: shop.");
  });
});

describe("topics", () => {
  test("[R3] that are not declared for the handler cannot be published to", async () => {
    const body = "try { await ctx.publish('other', { messageId: 'm' }); } catch {} return 1;";
    expect(verdictOf(await runProducer(body, answering(1)))).toBe("SCRIPT_TOPIC");
  });

  test("[R16] that are not subscribed to cannot be looked into", async () => {
    const prepare = "async (ctx) => { try { await ctx.peek('other'); } catch {} return 1; }";
    const script = await loadScript(theSandbox(), `{ consumers: { h: { prepare: ${prepare} } } }`);
    const call: PhaseCall = { ...somePhase, phase: "prepare", handler: "h" };
    expect(verdictOf(await theSandbox().run(script, call, answering([])))).toBe("SCRIPT_TOPIC");
  });

  test("[R145] get flat events as well as events with a payload", async () => {
    const body = `
      await ctx.publish("orders", { messageId: "a", title: "A", sum: 1 });
      await ctx.publish("orders", { messageId: "b", inputId: "in", payload: { sum: 2 } });
      await ctx.publish("orders", [{ sum: 3 }, { sum: 4 }]);`;
    const { record } = await runProducer(body, answering(1));
    const common = { topic: "orders", inputId: null, title: null, messageId: null };
    expect(record.publications).toEqual([
      { ...common, messageId: "a", title: "A", payload: '{"sum":1}' },
      { ...common, messageId: "b", inputId: "in", payload: '{"sum":2}' },
      { ...common, payload: '{"sum":3}' },
      { ...common, payload: '{"sum":4}' },
    ]);
  });

  test("[R21] next has no input ids of its own", async () => {
    const next = "async (ctx) => { await ctx.publish('orders', { inputId: 'in', n: 1 }); }";
    const script = await loadScript(theSandbox(), `{ consumers: { h: { next: ${next} } } }`);
    const call: PhaseCall = { ...somePhase, phase: "next", handler: "h" };
    expect(verdictOf(await theSandbox().run(script, call, answering(1)))).toBe("SCRIPT_PUBLISH");
  });

  test("[R20, S55] an input from nowhere ends the run and lists the sources it has", async () => {
    const from = (source: string, type: string) =>
      runProducer(
        `await ctx.registerInput({ source: "${source}", type: "${type}", id: "7", title: "T" });`,
        answering(1),
      );
    for (const [source, type] of [
      ["mail", "letter"],
      ["system", "weather"],
      ["webhook", "other"],
      ["__proto__", "letter"],
    ] as const) {
      const outcome = await from(source, type);
      expect(verdictOf(outcome)).toBe("SCRIPT_INPUT_SOURCE");
      expect(outcome.record.inputs).toEqual([]);
      expect(JSON.stringify(outcome.result)).toContain(
        "Valid: shop (any type); webhook (h); system (time, schedule, random).",
      );
    }
    for (const [source, type] of [
      ["shop", "order"],
      ["system", "schedule"],
      ["webhook", "h"],
    ] as const) {
      expect((await from(source, type)).record.inputs).toMatchObject([{ source, type }]);
    }
  });

  test("[R19] inputs that are registered twice are one, with one id", async () => {
    const input = '{ source: "shop", type: "letter", id: "7", title: "Seven" }';
    const body = `return [await ctx.registerInput(${input}), await ctx.registerInput(${input})];`;
    const { result, record } = await runProducer(body, answering(1));
    expect(record.inputs).toHaveLength(1);
    const id = record.inputs[0]?.inputId;
    expect(result).toMatchObject({ value: JSON.stringify([id, id]) });
  });
});

test("[R148] ctx.kv shows what the same run wrote, and asks the host for the rest", async () => {
  const body = `
    const before = await ctx.kv.get("k");
    await ctx.kv.set("k", { n: 1 });
    const after = await ctx.kv.get("k");
    await ctx.kv.delete("k");
    return [before, after, (await ctx.kv.get("k")) === undefined];`;
  const outcome = await runProducer(body, answering("stored"));
  expect(verdictOf(outcome)).toBe('returned ["stored",{"n":1},true]');
  expect(outcome.record.kvWrites).toEqual([
    { key: "k", value: '{"n":1}' },
    { key: "k", value: null },
  ]);
});
