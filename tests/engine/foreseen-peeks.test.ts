import { encodeCanonical } from "@holdfast/core";
import { expect, test, vi } from "vitest";
import { OrderShop, sandboxOfFile } from "./order-shop.ts";

const sandbox = sandboxOfFile();

/** Every run begins with another peek than the one before, and notes what it was shown. */
const fickle = `
  import { workflow } from "@holdfast/sdk";
  export default workflow({
    name: "orders",
    connections: { shop: { connector: "http", account: "shop" } },
    topics: { first: {}, second: {}, seen: { observed: true } },
    producers: { never: { manual: true, publishes: ["seen"], handler: async () => {} } },
    consumers: {
      take: {
        subscribe: ["first", "second"],
        prepare: async (ctx, state) => {
          const order = (state ?? 0) % 2 === 0 ? ["first", "second"] : ["second", "first"];
          for (const topic of order) {
            const [event] = await ctx.peek(topic, { limit: 1 + ((state ?? 0) % 3) });
            if (event === undefined) continue;
            const reservations = [{ topic, ids: [event.id] }];
            return { reservations, data: { id: topic + "/" + event.id, runs: (state ?? 0) + 1 } };
          }
          return { reservations: [], data: { runs: state ?? 0 } };
        },
        mutate: async (ctx, prepared) => { await ctx.shop.bookOrder({ id: prepared.data.id }); },
        next: async (ctx, prepared) => prepared.data.runs,
      },
    },
  });`;

test("[R16] a consumer that peeks elsewhere every time sees what it asked for", async () => {
  const shop = new OrderShop();
  const it = await shop.open(sandbox(), { source: fickle });
  const payload = encodeCanonical({ sum: 1 });
  for (const messageId of ["a", "b", "c"]) {
    for (const topic of ["first", "second"]) {
      await it.command("publish_event", { topic, messageId, payload, title: null });
    }
  }
  await it.live();
  expect(shop.booked).toEqual([
    "first/a",
    "second/a",
    "first/b",
    "second/b",
    "first/c",
    "second/c",
  ]);
  expect(await it.statuses("first")).toEqual({ a: "consumed", b: "consumed", c: "consumed" });
  await it.expectSound();
});

const steady = (limit: number) => `
  import { workflow } from "@holdfast/sdk";
  export default workflow({
    name: "orders",
    connections: { shop: { connector: "http", account: "shop" } },
    topics: { first: {}, left: {}, seen: { observed: true } },
    producers: { never: { manual: true, publishes: ["seen"], handler: async () => {} } },
    consumers: {
      take: {
        subscribe: ["left", "first"],
        prepare: async (ctx) => {
          const [event] = await ctx.peek("first", { limit: ${limit} });
          if (event === undefined) return { reservations: [], data: {} };
          const { id, payload } = event;
          return { reservations: [{ topic: "first", ids: [id] }], data: { id: id + payload.sum } };
        },
        mutate: async (ctx, prepared) => { await ctx.shop.bookOrder({ id: prepared.data.id }); },
        next: async () => {},
      },
    },
  });`;

/** What the script was shown, and how often the store was asked for it. */
async function workOff(limit: number): Promise<{ booked: readonly unknown[]; peeks: number }> {
  const shop = new OrderShop();
  const it = await shop.open(sandbox(), { source: steady(limit) });
  const old = {
    topic: "left",
    messageId: "old",
    payload: encodeCanonical({ sum: 9 }),
    title: null,
  };
  await it.command("publish_event", old);
  for (const [index, messageId] of ["d", "a", "c", "b"].entries()) {
    const payload = encodeCanonical({ sum: index });
    await it.command("publish_event", { topic: "first", messageId, payload, title: null });
  }
  await it.command("skip_event", { topic: "first", messageId: "d" });
  const peeks = vi.spyOn(it.store, "peek");
  await it.live();
  const asked = peeks.mock.calls.length;
  peeks.mockRestore();
  await it.expectSound();
  return { booked: shop.booked, peeks: asked };
}

test("[R16] a peek of one event shows the oldest that the run began with, unasked", async () => {
  const one = await workOff(1);
  const two = await workOff(2);
  expect(one.booked).toEqual(["a1", "c2", "b3"]);
  expect(two.booked).toEqual(one.booked);
  // The first, when nobody knows yet what it will ask for, and the last, which finds nothing.
  expect(one.peeks).toBe(2);
  expect(two.peeks).toBe(4);
});
