import { describe, expect, test } from "vitest";
import { Instance } from "../engine/instance.ts";
import { load, partsOf, prepare, returnedBy } from "../testing/parts.ts";
import { loadScript, sandboxInTests, somePhase, verdictOf } from "../testing/script.ts";
import type { GuestCall, PhaseCall } from "./phase.ts";
import type { CallAnswer } from "./phase-run.ts";

const theSandbox = sandboxInTests();

const peek = { name: "ctx.peek", params: '["orders",{"limit":1}]', value: '[{"id":"o-1"}]' };
const call: PhaseCall = { ...prepare, subscribe: ["orders"], foreseen: [peek] };

async function sliceOf(body: string, given = call) {
  const parts = await partsOf(Instance);
  const script = load(
    parts,
    `{ consumers: { h: { subscribe: ["orders"], prepare: async (ctx) => { ${body} } } } }`,
  );
  return parts.slices.start(script, given);
}

describe("an answer that was foreseen", () => {
  test("is there at once: the phase comes to its end without waiting", async () => {
    const end = await sliceOf(`return await ctx.peek("orders", { limit: 1 });`);
    expect(returnedBy(end)).toBe(peek.value);
    expect(end.state.foreseen).toMatchObject([{ name: "ctx.peek", params: peek.params }]);
  });

  test("is not given to a call with other parameters", async () => {
    const end = await sliceOf(`return await ctx.peek("orders", { limit: 2 });`);
    expect(end.kind).toBe("waiting");
    expect(end.state.foreseen).toEqual([]);
  });

  test("is given once", async () => {
    const end = await sliceOf(`
      await ctx.peek("orders", { limit: 1 });
      return await ctx.peek("orders", { limit: 1 });`);
    expect(end.kind).toBe("waiting");
    expect(end.state.open).toHaveLength(1);
  });

  test("does not excuse a call without await", async () => {
    const end = await sliceOf(`ctx.peek("orders", { limit: 1 }); return 1;`);
    expect(end).toMatchObject({ result: { failure: { code: "SCRIPT_CALL_LEFT_OPEN" } } });
  });

  test("does not open what the handler may not read", async () => {
    const end = await sliceOf(`return await ctx.peek("orders", { limit: 1 });`, {
      ...call,
      subscribe: ["other"],
    });
    expect(end).toMatchObject({ result: { failure: { code: "SCRIPT_TOPIC" } } });
  });

  test("is told to the host and traced, and mutate follows in the same go", async () => {
    const script = await loadScript(
      theSandbox(),
      `{ consumers: { h: { subscribe: ["orders"],
        prepare: async (ctx) => {
          const [order] = await ctx.peek("orders", { limit: 1 });
          return { reservations: [{ topic: "orders", ids: [order.id] }] };
        },
        mutate: async (ctx, prepared) => { await ctx.shop.bookOrder(prepared.reservations); },
      } } }`,
    );
    const heard: string[] = [];
    const perform = async ({ name, params }: GuestCall): Promise<CallAnswer> => {
      heard.push(`${name} ${params}`);
      return { kind: "value", value: peek.value };
    };
    const calls = {
      prepare: call,
      mutate: { ...somePhase, phase: "mutate", handler: "h" },
    } as const;
    const { prepare: first, mutate } = await theSandbox().runConsumer(script, calls, { perform });
    expect(verdictOf(first)).toContain("returned");
    expect(first.trace).toMatchObject([{ name: "ctx.peek", result: peek.value, stopped: false }]);
    expect(mutate?.result).toMatchObject({ kind: "mutation", call: { operation: "bookOrder" } });
    expect(heard).toEqual([`ctx.peek ${peek.params}`]);
  });
});
