import { expect, test } from "vitest";
import { answering, loadScript, sandboxInTests, somePhase, verdictOf } from "../testing/script.ts";
import type { PhaseCall } from "./phase.ts";

const theSandbox = sandboxInTests();

const definition = `{
  producers: {
    times: async (ctx) => {
      const first = Date.now();
      await ctx.shop.getOrder(1);
      return [first, new Date().getTime(), new Date().getTimezoneOffset(), new Date(0).getHours()];
    },
    numbers: async () => [Math.random(), Math.random(), Math.random()],
  },
  consumers: {
    h: {
      prepare: async () => null,
      mutate: async (ctx) => {
        const found = await ctx.shop.getOrder(1);
        await ctx.shop.bookOrder({ found, at: Date.now(), chance: Math.random() });
      },
      next: async (ctx) => {
        await ctx.publish("orders", { at: new Date().toISOString(), chance: Math.random() });
      },
    },
  },
}`;

test("the clock shows the host's time, in UTC, and moves on only with answered calls", async () => {
  const script = await loadScript(theSandbox(), definition);
  const call: PhaseCall = { ...somePhase, phase: "producer", handler: "times", now: 1_000 };
  const outcome = await theSandbox().run(script, call, { ...answering(1), now: () => 5_000 });
  expect(verdictOf(outcome)).toBe("returned [1000,5000,0,0]");
});

test("random numbers differ from run to run and are the same for the same seed", async () => {
  const script = await loadScript(theSandbox(), definition);
  const run = async (seed: string) => {
    const call: PhaseCall = { ...somePhase, phase: "producer", handler: "numbers", seed };
    return verdictOf(await theSandbox().run(script, call, answering(1)));
  };
  const [one, again, other] = [await run("a"), await run("a"), await run("b")];
  expect(again).toBe(one);
  expect(other).not.toBe(one);
  const numbers = JSON.parse(one.slice("returned ".length)) as readonly number[];
  expect(new Set(numbers).size).toBe(3);
  for (const each of numbers) expect(each >= 0 && each < 1).toBe(true);
});

test("[R147] mutate and next, run twice, do the same, byte by byte", async () => {
  const script = await loadScript(theSandbox(), definition);
  for (const phase of ["mutate", "next"] as const) {
    const call: PhaseCall = { ...somePhase, phase, handler: "h", mutateReads: "byId", now: 42 };
    let clock = 100;
    const options = { ...answering("found"), now: () => ++clock };
    const first = await theSandbox().run(script, call, options);
    const second = await theSandbox().run(script, call, options);
    expect(second.result).toEqual(first.result);
    expect(second.record).toEqual(first.record);
    const said = JSON.stringify([first.result, first.record.publications]);
    expect(said).toMatch(phase === "mutate" ? /\\"at\\":42,/ : /1970-01-01T00:00:00.042Z/);
  }
});

test.each([
  ["the time", "Date.now()"],
  ["the date", "new Date()"],
  ["chance", "Math.random()"],
])(
  "%s cannot be asked for while a script is loaded, for all runs would share it",
  async (_, use) => {
    const loaded = await theSandbox().load(`"use strict"; const x = ${use}; ({ producers: {} })`);
    expect(loaded).toMatchObject({ ok: false, failure: { code: "SCRIPT_TOP_LEVEL" } });
  },
);

test("a date that is given is no question", async () => {
  const loaded = await theSandbox().load('"use strict"; const x = new Date(0); ({ name: "a" })');
  expect(loaded).toMatchObject({ ok: true });
});
