import { expect, test } from "vitest";
import type { ScriptPhase } from "../run/phase.ts";
import {
  answering,
  loadScript,
  messageOf,
  sandboxInTests,
  somePhase,
  verdictOf,
} from "../testing/script.ts";

const theSandbox = sandboxInTests({ limits: { outputBytesMax: 1_000_000 } });

async function run(phase: ScriptPhase, body: string) {
  const [group, member] = phase === "producer" ? ["producers", "handler"] : ["consumers", phase];
  const definition = `{ ${group}: { h: { ${member}: async (ctx) => { ${body} } } } }`;
  const script = await loadScript(theSandbox(), definition);
  return theSandbox().run(script, { ...somePhase, phase, handler: "h" }, answering(null));
}

test("[R132] a log line is whole text, wherever it is cut", async () => {
  const { record } = await run(
    "prepare",
    String.raw`ctx.log("a".repeat(999) + "😀"); ctx.log("\ud83d"); ctx.log("x".repeat(3999) + "😀");`,
  );
  expect(record.logs).toHaveLength(3);
  for (const { text } of record.logs) {
    expect(text.isWellFormed()).toBe(true);
    expect(text.length).toBeLessThanOrEqual(1_000);
  }
});

test("[R132] a line number that a script forged is none", async () => {
  const { result } = await run(
    "prepare",
    `const e = new Error("x");
    Object.defineProperty(e, "stack", { value: "(script.js:" + "9".repeat(400) + ":1)" });
    throw e;`,
  );
  expect(result).toMatchObject({ failure: { code: "SCRIPT_THREW", position: null } });
});

test("[R132] what one phase hands over is limited, and each copy of an event counts", async () => {
  const large = `{ payload: "x".repeat(90000) }`;
  const copies = await run("producer", `await ctx.publish(Array(20).fill("orders"), ${large});`);
  expect(verdictOf(copies)).toBe("SCRIPT_VALUE_SIZE");
  expect(messageOf(copies)).toBe("It handed over more than 1000000 bytes in all.");
  expect(copies.record.publications).toEqual([]);
  const many = await run("producer", `for (;;) await ctx.publish("orders", ${large});`);
  expect(verdictOf(many)).toBe("SCRIPT_VALUE_SIZE");
  const few = await run("producer", `await ctx.publish(Array(9).fill("orders"), ${large});`);
  expect(verdictOf(few)).toBe("returned null");
});

test("[R58] a bad value ends the run by its place, even if that place has a bad name", async () => {
  const inside = await run("prepare", "return { a: [1, { b: { get c() { return () => 1; } } }] };");
  expect(messageOf(inside)).toBe("result.a[1].b.c is a function.");
  const broken = await run("prepare", String.raw`return { "x\ud800": 1 };`);
  expect(messageOf(broken)).toBe("result.x\ufffd is not a name that can be kept.");
  const nested = await run(
    "prepare",
    `return { a: { get b() { try { ctx.log({ c: 1 }); } catch {} return Symbol(); } } };`,
  );
  expect(messageOf(nested)).toBe("result.a.b is a symbol.");
});

test("[R57] what a step may not do, it may not do by the console either", async () => {
  const script = await loadScript(
    theSandbox(),
    `{ machines: { h: { step: () => { try { console.log("x"); } catch {} return 1; } } } }`,
  );
  const call = { ...somePhase, phase: "step", handler: "h" } as const;
  const outcome = await theSandbox().run(script, call, answering(null));
  expect(verdictOf(outcome)).toBe("SCRIPT_FORBIDDEN");
  expect(messageOf(outcome)).toMatch(/^log is not for step\./);
  expect(outcome.record.logs).toEqual([]);
});
