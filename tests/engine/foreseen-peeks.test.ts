import { encodeCanonical } from "@holdfast/core";
import { expect, test } from "vitest";
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
