import { expect, test } from "vitest";
import { answering, loadScript, sandboxInTests, somePhase } from "../testing/script.ts";
import type { PhaseCall } from "./phase.ts";
import { forTrace, traceBytesMax } from "./trace.ts";

const theSandbox = sandboxInTests();

test("[R35] every call is kept, with its duration, and secrets hidden", async () => {
  const body = "await ctx.shop.getOrder({ id: 1, card: { number: '4111' } });";
  const script = await loadScript(theSandbox(), `{ producers: { h: async (ctx) => { ${body} } } }`);
  const call: PhaseCall = { ...somePhase, phase: "producer", handler: "h" };
  const { trace } = await theSandbox().run(script, call, {
    ...answering({ ok: true, tokens: [{ value: "t1" }, { value: "t2" }] }),
    secretsOf: () => ({ params: ["card.number"], result: ["tokens.*.value"] }),
  });
  expect(trace).toMatchObject([
    {
      name: "shop.getOrder",
      kind: "read:byId",
      params: '{"id":1,"card":{"number":"[hidden]"}}',
      result: '{"ok":true,"tokens":[{"value":"[hidden]"},{"value":"[hidden]"}]}',
      stopped: false,
    },
  ]);
  expect(trace[0]?.durationMs).toBeGreaterThan(0);
});

test("[R148] what a producer keeps is shown by size and hash, nothing as nothing", async () => {
  const body = `await ctx.kv.get("token"); await ctx.kv.set("token", "s3cret"); return {};`;
  const script = await loadScript(theSandbox(), `{ producers: { h: async (ctx) => { ${body} } } }`);
  const call: PhaseCall = { ...somePhase, phase: "producer", handler: "h" };
  const kept = await theSandbox().run(script, call, answering("s3cret"));
  expect(kept.trace.map(({ name, params }) => [name, params])).toEqual([
    ["ctx.kv.get", '["token"]'],
  ]);
  expect(JSON.parse(kept.trace[0]?.result ?? "")).toEqual({
    $bytes: 8,
    $hash: expect.stringMatching(/^sha256:/),
  });
  const absent = await theSandbox().run(script, call, {
    perform: async () => ({ kind: "value", value: null }),
  });
  expect(absent.trace[0]?.result).toBe("null");
});

test("what is too long for a trace is given by its size and hash", () => {
  const long = JSON.stringify("x".repeat(traceBytesMax));
  expect(JSON.parse(forTrace(long, []))).toEqual({
    $bytes: traceBytesMax + 2,
    $hash: expect.stringMatching(/^sha256:/),
  });
});

test("secrets are hidden before anything is measured or hashed", () => {
  const long = JSON.stringify({ secret: "x".repeat(traceBytesMax) });
  expect(forTrace(long, ["secret"])).toBe('{"secret":"[hidden]"}');
});
