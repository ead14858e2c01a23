/** Type tests: they fail to compile if a type became looser or stricter. Handlers never run. */
import { describe, test } from "vitest";
import { consumer, workflow } from "./index.ts";
import { equalTypes } from "./testing/equal-types.ts";
import { connections, topics } from "./testing/orders.ts";

const name = "orders";

describe("prepare", () => {
  test("knows the subscribed topics and their payloads", () => {
    workflow<typeof topics, typeof connections>({
      name,
      topics,
      connections,
      consumers: {
        book: consumer({
          subscribe: ["order.received"],
          prepare: async (ctx) => {
            const [first] = await ctx.peek("order.received", { limit: 1 });
            equalTypes<NonNullable<typeof first>["payload"]["note"], string | null>();
            const found = await ctx.getByIds("order.received", ["1"]);
            equalTypes<(typeof found)[number]["payload"]["total"], number>();
            equalTypes<NonNullable<typeof ctx.trigger.event>["topic"], "order.received">();
            // @ts-expect-error The topic is declared, but this consumer does not subscribe to it.
            await ctx.peek("order.raw");
            // @ts-expect-error The same by id.
            await ctx.getByIds("order.booked", []);
            return { reservations: [], data: {} };
          },
        }),
        typo: consumer({
          // @ts-expect-error No such topic is declared.
          subscribe: ["order.recieved"],
          prepare: async () => ({ reservations: [], data: {} }),
        }),
        nothing: consumer({
          // @ts-expect-error A consumer subscribes to something.
          subscribe: [],
          prepare: async () => ({ reservations: [], data: {} }),
        }),
      },
    });
  });

  test("may read in every way and change nothing", () => {
    workflow<typeof topics, typeof connections>({
      name,
      topics,
      connections,
      consumers: {
        book: consumer({
          subscribe: ["order.received"],
          prepare: async (ctx) => {
            equalTypes<
              Awaited<ReturnType<typeof ctx.shop.listOrders>>,
              readonly { id: string; total: number }[]
            >();
            await ctx.shop.getOrder({ id: "1" });
            await ctx.shop.findBooking({ orderId: "1" });
            equalTypes<Awaited<ReturnType<typeof ctx.shop.summarize>>, string>();
            ctx.log("looked", { count: 1 });
            // @ts-expect-error The parameter is called id.
            await ctx.shop.getOrder({ orderId: "1" });
            // @ts-expect-error A mutation belongs in mutate.
            await ctx.shop.book({ id: "1", total: 1 });
            // @ts-expect-error Publishing belongs in next.
            ctx.publish("order.raw", { payload: null });
            // @ts-expect-error Inputs are registered by producers.
            ctx.registerInput({ source: "shop", type: "order", id: "1", title: "Order 1" });
            // @ts-expect-error Notes by key belong to producers.
            ctx.kv.get("cursor");
            // @ts-expect-error Items belong to jobs.
            ctx.withItem("1", "Order 1", () => {});
            // @ts-expect-error No such operation.
            ctx.shop.explode();
            // @ts-expect-error No such connection.
            ctx.shpo.getOrder({ id: "1" });
            return { reservations: [], data: {} };
          },
        }),
      },
    });
  });

  test("returns reservations of subscribed topics, and the data that mutate gets", () => {
    workflow<typeof topics, typeof connections>({
      name,
      topics,
      connections,
      consumers: {
        good: consumer({
          subscribe: ["order.received", "order.raw"],
          prepare: () => ({
            reservations: [{ topic: "order.raw", ids: ["1"] }],
            data: { id: "1", lines: [{ sku: "a", note: null }], late: undefined },
            ui: { title: "Book order 1", hint: "seen" },
            wakeAt: "2030-01-01T00:00:00Z",
            trigger: { topic: "order.raw", messageId: "1" },
          }),
        }),
        branches: consumer({
          subscribe: ["order.received"],
          prepare: async (ctx) => {
            const [first] = await ctx.peek("order.received");
            if (first === undefined) return { reservations: [], data: { order: null } };
            return {
              reservations: [{ topic: "order.received", ids: [first.messageId] }],
              data: { order: first.payload },
              ui: { title: "Book" },
            };
          },
          mutate: async (ctx, { data }) => {
            equalTypes<NonNullable<typeof data.order>["total"], number>();
            // @ts-expect-error One of the branches gives no order.
            await ctx.shop.book(data.order);
            if (data.order !== null) await ctx.shop.book(data.order);
          },
        }),
        late: consumer({
          subscribe: ["order.received"],
          // @ts-expect-error A time to wake at is ISO text.
          prepare: () => ({ reservations: [], data: {}, wakeAt: 5 }),
        }),
        foreign: consumer({
          subscribe: ["order.received"],
          // @ts-expect-error Events of a topic it does not subscribe to cannot be reserved.
          prepare: () => ({ reservations: [{ topic: "order.raw", ids: [] }], data: {} }),
        }),
        nothing: consumer({
          subscribe: ["order.received"],
          // @ts-expect-error Even "nothing to do" must say so.
          prepare: async () => {},
        }),
        unreserved: consumer({
          subscribe: ["order.received"],
          // @ts-expect-error Without reservations nobody knows what the run is about.
          prepare: async () => ({ data: {} }),
        }),
      },
    });
  });

  test("returns data that is plain JSON", () => {
    workflow<typeof topics, typeof connections>({
      name,
      topics,
      connections,
      consumers: {
        date: consumer({
          subscribe: ["order.received"],
          // @ts-expect-error A Date does not cross; toISOString() does.
          prepare: async () => ({ reservations: [], data: { at: new Date(0) } }),
        }),
        map: consumer({
          subscribe: ["order.received"],
          // @ts-expect-error A Map does not cross.
          prepare: async () => ({ reservations: [], data: { seen: new Map([["a", 1]]) } }),
        }),
        big: consumer({
          subscribe: ["order.received"],
          // @ts-expect-error A bigint does not cross.
          prepare: async () => ({ reservations: [], data: { count: 1n } }),
        }),
        holes: consumer({
          subscribe: ["order.received"],
          // @ts-expect-error JSON has no undefined in lists.
          prepare: async () => ({ reservations: [], data: { ids: ["a", undefined] } }),
        }),
      },
    });
  });
});
