import { describe, expect, test } from "vitest";
import { Instance } from "../engine/instance.ts";
import type { CallAnswer } from "../run/phase-run.ts";
import { Sandbox } from "../sandbox.ts";
import { load, partsOf, prepare, returnedBy } from "../testing/parts.ts";
import { scriptOf } from "../testing/phases.ts";

/** A host that notes the end of a run and lets the guest go on. */
class NaiveInstance extends Instance {
  override stop(): never {
    return undefined as never;
  }
}

describe("the end of a run", () => {
  const swallowing = `{ consumers: { h: { prepare: async (ctx) => {
    try { await ctx.publish("orders", {}); } catch {}
    console.log("I go on");
    return "all is well";
  } } } }`;

  test("[R57] goes on with a host that does not stop it, and the counter sees that", async () => {
    const naive = await partsOf(NaiveInstance);
    const end = naive.slices.start(load(naive, swallowing), prepare);
    expect(end.state.callsAfterEnd).toBeGreaterThan(0);
    expect(end.state.record.logs.map(({ text }) => text)).toContain("I go on");
  });

  test("[R57] [R58] is the end here", async () => {
    const real = await partsOf(Instance);
    const end = real.slices.start(load(real, swallowing), prepare);
    expect(end.state.callsAfterEnd).toBe(0);
    expect(end.state.record.logs).toEqual([]);
    expect(end).toMatchObject({ result: { failure: { code: "SCRIPT_FORBIDDEN" } } });
  });
});

describe("a late answer of a run that was given up", () => {
  const reading = `{ consumers: { h: { prepare: (ctx) => ctx.shop.getOrder("mine") } } }`;

  test("[R133] would reach another run whose call has the same number", async () => {
    const parts = await partsOf(Instance);
    const script = load(parts, reading);
    const abandoned = parts.slices.start(script, prepare);
    const other = parts.slices.start(script, prepare);
    if (abandoned.kind !== "waiting" || other.kind !== "waiting") throw new Error("Both wait.");
    expect(other.state.open).toEqual(abandoned.state.open);
    const settled = [{ callId: abandoned.state.open[0]?.callId ?? 0, value: `"of the first"` }];
    const { image, state } = other;
    const end = parts.slices.resume(script.anchors, prepare, { image, state, settled });
    expect(returnedBy(end)).toBe('"of the first"');
  });

  test("[R133] [S60] reaches nobody through the sandbox, and ends nothing", async () => {
    const sandbox = await Sandbox.open({ threadsMax: 1 });
    try {
      const loaded = await sandbox.load(scriptOf(reading));
      if (!loaded.ok) throw new Error(loaded.failure.message);
      const given: ((answer: CallAnswer) => void)[] = [];
      const perform = () => new Promise<CallAnswer>((resolve) => given.push(resolve));
      const giveUp = new AbortController();
      const first = sandbox.run(loaded.script, prepare, { perform, stopped: giveUp.signal });
      while (given.length < 1) await new Promise(setImmediate);
      giveUp.abort("given up");
      expect((await first).result).toEqual({ kind: "stopped", reason: "given up" });
      const second = sandbox.run(loaded.script, prepare, { perform });
      while (given.length < 2) await new Promise(setImmediate);
      given[0]?.({ kind: "value", value: `"of the first"` });
      await new Promise(setImmediate);
      given[1]?.({ kind: "value", value: `"of the second"` });
      expect((await second).result).toEqual({ kind: "returned", value: '"of the second"' });
      expect((await first).result).toEqual({ kind: "stopped", reason: "given up" });
    } finally {
      await sandbox.close();
    }
  });
});
