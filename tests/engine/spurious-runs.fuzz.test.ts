import { fuzzScale } from "@holdfast/host/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { openStores } from "./open-stores.ts";
import { OrderShop, sandboxOfFile } from "./order-shop.ts";
import type { WorkflowInTest } from "./workflow-in-test.ts";

const sandbox = sandboxOfFile();

/**
 * Payments and parcels come in any order; an order is booked when both are there, which fans out
 * into what is billed and what is only watched. What is incomplete is looked at again later.
 */
const source = `
  import { workflow } from "@holdfast/sdk";
  export default workflow({
    name: "shipping",
    connections: { shop: { connector: "http", account: "shop" } },
    topics: { paid: {}, packed: {}, billed: {}, shipped: { observed: true } },
    producers: {
      poll: {
        publishes: ["paid", "packed"],
        schedule: { interval: "5m" },
        handler: async (ctx, state) => {
          const found = await ctx.shop.listOrders({});
          for (const { id, sum } of found) {
            const topic = sum === 0 ? "packed" : "paid";
            await ctx.publish(topic, { messageId: id, sum });
          }
          return { found: found.length };
        },
      },
    },
    consumers: {
      match: {
        subscribe: ["paid", "packed"],
        publishes: ["billed", "shipped"],
        prepare: async (ctx, state) => {
          const paid = await ctx.peek("paid");
          const packed = await ctx.peek("packed");
          const both = paid.find((one) => packed.some((other) => other.id === one.id));
          const wakeAt = paid.length + packed.length > 0 ? Date.now() + 60_000 : undefined;
          if (both === undefined) return { reservations: [], data: {}, wakeAt };
          const ids = [both.id];
          const reservations = [{ topic: "paid", ids }, { topic: "packed", ids }];
          const data = { id: both.id, sum: both.payload.sum, total: state?.total ?? 0 };
          return { reservations, data };
        },
        mutate: async (ctx, prepared) => { await ctx.shop.bookOrder({ id: prepared.data.id }); },
        next: async (ctx, prepared, result) => {
          if (result.status !== "applied") return undefined;
          const { id, sum, total } = prepared.data;
          await ctx.publish("billed", { messageId: id, sum });
          await ctx.publish("shipped", { messageId: id, number: result.result.number });
          return { total: total + sum };
        },
      },
      bill: {
        subscribe: ["billed"],
        prepare: async (ctx) => {
          const [event] = await ctx.peek("billed", { limit: 1 });
          const ids = event === undefined ? [] : [event.id];
          return { reservations: [{ topic: "billed", ids }], data: { id: ids[0] ?? null } };
        },
        mutate: async (ctx, prepared) => { await ctx.shop.cancelOrder({ id: prepared.data.id }); },
      },
    },
  });`;

const handlers = ["poll", "match", "bill"] as const;

/** Time passes, something comes in, and somebody starts what nobody asked for. */
type Step = {
  readonly ms: number;
  readonly arrives: { readonly id: string; readonly sum: number } | null;
  readonly spurious: (typeof handlers)[number] | "run_now" | "look" | null;
};

const steps = fc.array(
  fc.record<Step>({
    ms: fc.constantFrom(0, 1, 30_000, 60_000, 299_999, 300_000, 3_600_000),
    arrives: fc.option(
      fc.record({ id: fc.constantFrom("a", "b", "c", "d"), sum: fc.constantFrom(0, 10) }),
    ),
    spurious: fc.option(fc.constantFrom(...handlers, "run_now" as const, "look" as const), {
      freq: 4,
    }),
  }),
  { minLength: 3, maxLength: 8 },
);

async function startSpuriously(it: WorkflowInTest, spurious: Step["spurious"]): Promise<void> {
  if (spurious === null) return;
  // Any command wakes a host; a brake that nothing uses changes nothing.
  const kind = spurious === "run_now" ? "run_now" : "release_brake";
  await it.command(kind, kind === "run_now" ? {} : { operation: "nothing" });
  const isHandler = spurious !== "run_now" && spurious !== "look";
  await it.live(isHandler ? spurious : undefined);
}

/** What is there at the end, without who did it when. */
async function play(played: readonly Step[], isSpurious: boolean): Promise<object> {
  const shop = new OrderShop();
  shop.orders = [];
  const it = await shop.open(sandbox(), { source, store: openStores.memory });
  for (const { ms, arrives, spurious } of played) {
    it.now += ms;
    const isNew = !shop.orders.some(({ id, sum }) => id === arrives?.id && sum === arrives.sum);
    if (arrives !== null && isNew) shop.orders.push(arrives);
    if (isSpurious) await startSpuriously(it, spurious);
    await it.live();
    if (isSpurious) await startSpuriously(it, spurious);
  }
  for (let round = 0; round < 3; round++) {
    it.now += 600_000;
    await it.live();
  }
  await it.expectSound();
  const events = (await it.rows("events")).map(({ topic, messageId, status, causedBy }) => ({
    event: `${topic} ${messageId} ${status}`,
    causedBy,
  }));
  return {
    events: events.sort((one, other) => (one.event < other.event ? -1 : 1)),
    payloads: await Promise.all(["billed", "shipped"].map((topic) => it.payloads(topic))),
    sent: shop.world.sent.map(({ name, params }) => `${name} ${String(params["id"])}`).sort(),
    states: await Promise.all(handlers.map((handler) => it.stateOf(handler))),
    questions: await it.questions(),
  };
}

test(
  "[R139] handlers that are run when nothing called for it change nothing in the end",
  async () => {
    const property = fc.asyncProperty(steps, async (played) => {
      expect(await play(played, true)).toEqual(await play(played, false));
    });
    await fc.assert(property, { numRuns: Math.ceil(8 * fuzzScale) });
  },
  60_000 * Math.max(1, fuzzScale),
);
