/** Type tests: they fail to compile if a type became looser or stricter. Handlers never run. */
import { describe, test } from "vitest";
import { type JobConnection, job, type WithItem, workflow } from "./index.ts";
import { equalTypes } from "./testing/equal-types.ts";
import { connections, type ShopOperations, topics } from "./testing/orders.ts";

const name = "orders";
const schedule = { cron: "0 6 * * 1" } as const;

describe("a job", () => {
  test("reads and publishes outside of items, and changes nothing there", () => {
    workflow<typeof topics, typeof connections>({
      name,
      topics,
      connections,
      jobs: {
        bill: job({
          schedule,
          publishes: ["order.booked"],
          handler: async (ctx) => {
            await ctx.shop.listOrders({ since: "" });
            await ctx.publish("order.booked", { messageId: "1", bookingId: "1" });
            // @ts-expect-error The topic is not in publishes.
            await ctx.publish("order.raw", { payload: null });
            // @ts-expect-error A mutation needs an item.
            await ctx.shop.book({ id: "1", total: 1 });
            // @ts-expect-error Jobs do not look into topics.
            await ctx.peek("order.received");
            // @ts-expect-error Inputs are registered by producers.
            await ctx.registerInput({ source: "s", type: "t", id: "1", title: "T" });
            // @ts-expect-error There is no item here.
            ctx.item.isDone;
          },
        }),
      },
    });
  });

  test("makes several mutations per item and gets their results", () => {
    workflow<typeof topics, typeof connections>({
      name,
      topics,
      connections,
      jobs: {
        bill: job({
          schedule,
          handler: async (ctx) => {
            const done = await ctx.withItem("order:1", "Order 1", async (item) => {
              equalTypes<typeof item.item.isDone, boolean>();
              if (item.item.isDone) return 0;
              const booked = await item.shop.book({ id: "1", total: 1 });
              equalTypes<typeof booked, { bookingId: string }>();
              await item.shop.cancel({ id: "1", subkey: "first" });
              await item.shop.cancel({ id: "1", subkey: "second" });
              await item.shop.ping({ subkey: "hello" });
              await item.shop.ping();
              await item.shop.getOrder({ id: "1" });
              // @ts-expect-error A subkey is text that says what is sent.
              await item.shop.cancel({ id: "1", subkey: 1 });
              // @ts-expect-error Reads have no subkey.
              await item.shop.getOrder({ id: "1", subkey: "a" });
              // @ts-expect-error Items are not nested.
              await item.withItem("2", "Order 2", () => {});
              return 1;
            });
            equalTypes<typeof done, 0 | 1>();
            // @ts-expect-error An item has an id and a title.
            await ctx.withItem("order:1", async () => {});
          },
        }),
      },
    });
  });

  test("may be started by events, which it finds in its trigger", () => {
    workflow<typeof topics, typeof connections>({
      name,
      topics,
      connections,
      jobs: {
        ship: job({
          subscribe: ["order.received"],
          handler: async (ctx) => {
            equalTypes<NonNullable<typeof ctx.trigger.event>["payload"]["total"], number>();
          },
        }),
        async bare(ctx) {
          await ctx.withItem("1", "Order 1", async (item) => item.shop.ping());
        },
        // @ts-expect-error Started by events or by a clock, not both.
        both: job({ subscribe: ["order.raw"], schedule, handler: () => {} }),
        // @ts-expect-error No such topic.
        typo: job({ subscribe: ["order.recieved"], handler: () => {} }),
      },
    });
  });

  test("may use its connections and withItem as globals", () => {
    const act = async (
      withItem: WithItem<typeof topics, typeof connections>,
      shop: JobConnection<ShopOperations>,
    ): Promise<void> => {
      await withItem("order:1", "Order 1", async (ctx) => {
        if (!ctx.item.isDone) await shop.book({ id: "1", total: 1, subkey: "first" });
      });
      // @ts-expect-error The total is missing.
      await shop.book({ id: "1" });
    };
    equalTypes<Parameters<typeof act>["length"], 2>();
  });
});
