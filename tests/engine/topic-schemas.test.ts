import { encodeCanonical } from "@holdfast/core";
import { Sandbox } from "@holdfast/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStores } from "./open-stores.ts";
import { ScriptedWorld } from "./scripted-world.ts";
import { WorkflowInTest } from "./workflow-in-test.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.open({ threadsMax: 2 });
});
afterAll(() => sandbox?.close());

const source = `
  import { schema, workflow } from "@holdfast/sdk";
  const line = schema.record({ qty: schema.nat() });
  const order = schema.record({ id: schema.text(), lines: schema.list(line) });
  export default workflow({
    name: "orders",
    connections: { shop: { connector: "http", account: "shop" } },
    topics: {
      "order.received": { schema: order },
      "order.done": { observed: true, schema: schema.record({ id: schema.text() }) },
    },
    producers: {
      poll: {
        publishes: ["order.received"],
        schedule: { interval: "5m" },
        handler: async (ctx) => {
          for (const payload of await ctx.shop.listOrders({})) {
            await ctx.publish("order.received", { messageId: payload.id, payload });
          }
        },
      },
    },
    consumers: {
      finish: {
        subscribe: ["order.received"],
        publishes: ["order.done"],
        prepare: async (ctx) => {
          const [event] = await ctx.peek("order.received", { limit: 1 });
          if (!event) return { reservations: [], data: {} };
          const reservations = [{ topic: "order.received", ids: [event.messageId] }];
          return { reservations, data: { id: event.messageId, lines: event.payload.lines } };
        },
        next: async (ctx, prepared) => {
          if (!prepared.data.id) return;
          const id = prepared.data.lines.length === 2 ? 2 : prepared.data.id;
          await ctx.publish("order.done", { messageId: prepared.data.id, payload: { id } });
        },
      },
    },
  });`;

describe.each(Object.entries(openStores))("[R152] a topic's schema, on %s", (_store, open) => {
  async function create(orders: readonly object[]): Promise<WorkflowInTest> {
    const clock = { now: 1_700_000_000_000 };
    const store = await open(() => clock.now);
    const world = new ScriptedWorld({
      shop: { listOrders: { kind: "read:list", answer: () => orders } },
    });
    return WorkflowInTest.create({ store, sandbox, world, clock }, source);
  }

  const good = { id: "a", lines: [{ qty: 1 }] };

  test("lets pass what fits, from producer, next and person", async () => {
    const it = await create([good]);
    const payload = encodeCanonical({ id: "b", lines: [] });
    const event = { topic: "order.received", messageId: "b", payload, title: null };
    await it.command("publish_event", event);
    await it.live();
    expect(await it.statuses("order.done")).toEqual({ a: "consumed", b: "consumed" });
    await it.expectSound();
  });

  test("fails a producer that breaks it, names the place, and stores nothing", async () => {
    const it = await create([good, { id: "b", lines: [{ qty: 1 }, { qty: -1 }] }]);
    await it.live();
    const [run] = await it.rows("runs");
    expect(run).toMatchObject({ status: "failed:logic", handler: "poll" });
    expect(run?.failure?.message).toBe(
      "order.received/b: payload.lines[1].qty: expected nat, got -1.",
    );
    expect(await it.rows("events")).toEqual([]);
    expect(await it.rows("inputs")).toEqual([]);
    await it.expectSound();
  });

  test("fails a next that breaks it, and the event stays with the run", async () => {
    const it = await create([{ id: "a", lines: [{ qty: 1 }, { qty: 2 }] }]);
    await it.live();
    const failed = (await it.rows("runs")).find(({ open: isOpen }) => isOpen);
    expect(failed).toMatchObject({ status: "failed:logic", handler: "finish" });
    expect(failed?.failure?.message).toBe("order.done/a: payload.id: expected text, got 2.");
    expect(await it.statuses("order.received")).toEqual({ a: "reserved" });
    expect(await it.statuses("order.done")).toEqual({});
    await it.expectSound();
  });

  test("refuses what a person publishes against it, with the path", async () => {
    const it = await create([]);
    const payload = encodeCanonical({ id: "b", lines: [{ qty: "two" }] });
    const event = { topic: "order.received", messageId: "b", payload, title: null };
    await it.command("publish_event", event);
    await it.live();
    const verdict = (await it.rows("verdicts")).find(({ kind }) => kind === "publish_event");
    expect(verdict).toMatchObject({ accepted: false, refusal: "payload_not_in_schema" });
    expect(verdict?.note).toBe('order.received/b: payload.lines[0].qty: expected nat, got "two".');
    expect(await it.rows("events")).toEqual([]);
    await it.expectSound();
  });
});
