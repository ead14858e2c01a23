/** Type tests: they fail to compile if a type became looser or stricter. Handlers never run. */
import { describe, expect, test } from "vitest";
import { consumer, type MutationResult, workflow } from "./index.ts";
import { equalTypes } from "./testing/equal-types.ts";
import { connections, type ShopOperations, topics } from "./testing/orders.ts";

/** The full form: topics and connections are known to every handler. */
type Book = { readonly id: string; readonly total: number };
const name = "orders";

describe("mutate", () => {
  test("gets the data of prepare and may call mutations only", () => {
    workflow<typeof topics, typeof connections>({
      name,
      topics,
      connections,
      consumers: {
        book: consumer({
          subscribe: ["order.received"],
          prepare: async () => ({ reservations: [], data: { id: "1", total: 2 } as Book }),
          mutate: async (ctx, prepared) => {
            equalTypes<typeof prepared.data, Book>();
            ctx.log("booking");
            await ctx.shop.ping();
            await ctx.shop.book(prepared.data);
            // @ts-expect-error The total is missing.
            await ctx.shop.book({ id: "1" });
            // @ts-expect-error Subkeys belong to jobs; a consumer makes one mutation.
            await ctx.shop.cancel({ id: "1", subkey: "a" });
            // @ts-expect-error Lists never belong in mutate.
            await ctx.shop.listOrders({ since: "" });
            // @ts-expect-error Reads by id need mutateReads.
            await ctx.shop.getOrder({ id: "1" });
            // @ts-expect-error The same for reads by key.
            await ctx.shop.findBooking({ orderId: "1" });
            // @ts-expect-error Metered calls belong in prepare.
            await ctx.shop.summarize({ text: "" });
            // @ts-expect-error No topic is read in mutate.
            await ctx.peek("order.received");
            // @ts-expect-error Nothing is published in mutate.
            await ctx.publish("order.raw", { payload: null });
            // @ts-expect-error Inputs are registered by producers.
            await ctx.registerInput({ source: "s", type: "t", id: "1", title: "T" });
            // @ts-expect-error Notes by key belong to producers.
            await ctx.kv.get("cursor");
            // @ts-expect-error mutate depends on what was pinned, not on what started the run.
            ctx.trigger.reason;
          },
        }),
      },
    });
  });

  test("may read by id and by key if the consumer says so, and still no lists", () => {
    workflow<typeof topics, typeof connections>({
      name,
      topics,
      connections,
      consumers: {
        book: consumer({
          subscribe: ["order.received"],
          mutateReads: "byId",
          prepare: async () => ({ reservations: [], data: { id: "1" } }),
          mutate: async (ctx, prepared) => {
            const booking = await ctx.shop.findBooking({ orderId: prepared.data.id });
            const order = await ctx.shop.getOrder(prepared.data);
            equalTypes<typeof order, { id: string; total: number }>();
            // @ts-expect-error Lists never belong in mutate.
            await ctx.shop.listOrders({ since: "" });
            if (booking === null) await ctx.shop.book(order);
          },
        }),
      },
    });
  });
});

describe("next", () => {
  test("knows the result of the mutation that mutate returned", () => {
    workflow<typeof topics, typeof connections>({
      name,
      topics,
      connections,
      consumers: {
        book: consumer({
          subscribe: ["order.received"],
          publishes: ["order.booked"],
          prepare: async (ctx) => ({
            reservations: [],
            data: await ctx.shop.getOrder({ id: "1" }),
          }),
          mutate: (ctx, prepared) => ctx.shop.book(prepared.data),
          next: async (ctx, prepared, result) => {
            equalTypes<typeof prepared.data, { id: string; total: number }>();
            equalTypes<typeof result, MutationResult<{ bookingId: string }>>();
            // @ts-expect-error There is a result only if the status is applied.
            result.result;
            if (result.status !== "applied") return;
            await ctx.publish("order.booked", { messageId: "1", payload: result.result });
            await ctx.publish("order.booked", { messageId: "1", ...result.result });
            // @ts-expect-error The payload has another type.
            await ctx.publish("order.booked", { payload: { bookingId: 1 } });
            // @ts-expect-error The topic is declared, but not in publishes.
            await ctx.publish("order.raw", { payload: null });
            // @ts-expect-error Events of next inherit their inputs.
            await ctx.publish("order.booked", { inputId: "1", payload: { bookingId: "1" } });
            // @ts-expect-error next reads nothing from outside.
            ctx.shop;
            // @ts-expect-error next reads no topics.
            await ctx.peek("order.received");
          },
        }),
      },
    });
  });

  test("knows the union of all results if mutate returns nothing", () => {
    const shop = { shop: connections.shop };
    workflow<typeof topics, typeof shop>({
      name,
      topics,
      connections: shop,
      consumers: {
        book: consumer({
          subscribe: ["order.received"],
          async prepare() {
            return { reservations: [], data: {} };
          },
          async mutate(ctx) {
            await ctx.shop.cancel({ id: "1" });
          },
          next(_ctx, _prepared, result) {
            type Any = { bookingId: string } | { canceled: boolean } | null;
            equalTypes<typeof result, MutationResult<Any>>();
          },
        }),
        unknown: consumer({
          subscribe: ["order.raw"],
          prepare: () => ({ reservations: [], data: {} }),
          // @ts-expect-error What mutate returns is thrown away; only the call itself may be.
          mutate: async () => 5,
        }),
      },
    });
    equalTypes<keyof ShopOperations & "book", "book">();
  });

  test("returns the state that prepare gets, and any topic may be published without a list", () => {
    type Counter = { readonly count: number };
    workflow<typeof topics, typeof connections>({
      name,
      topics,
      connections,
      consumers: {
        count: consumer({
          subscribe: ["order.received"],
          prepare: (_ctx, state: Counter | undefined) => ({
            reservations: [],
            data: { count: (state?.count ?? 0) + 1 },
          }),
          next: async (ctx, { data }) => {
            await ctx.publish("order.raw", { messageId: "1", payload: { count: data.count } });
            await ctx.publish("order.raw", { messageId: "1", count: data.count });
            return data;
          },
        }),
        wrong: consumer({
          subscribe: ["order.raw"],
          // @ts-expect-error next returns another state than prepare takes.
          prepare: (_ctx, _state: Counter | undefined) => ({ reservations: [], data: {} }),
          next: () => ({ count: "one" }),
        }),
        early: consumer({
          subscribe: ["order.raw"],
          // @ts-expect-error publishes needs a next to publish from.
          publishes: ["order.booked"],
          prepare: () => ({ reservations: [], data: {} }),
        }),
      },
    });
  });
});

test("an untyped connection takes any operation, and says nothing about the result", () => {
  workflow<typeof topics, typeof connections>({
    name,
    topics,
    connections,
    consumers: {
      send: consumer({
        subscribe: ["order.received"],
        prepare: async (ctx) => {
          const found = await ctx.mail["search"]?.({ query: "x" });
          equalTypes<typeof found, unknown>();
          return { reservations: [], data: { to: "a@example.com", found } };
        },
        mutate: async (ctx, prepared) => ctx.mail["send"]?.({ to: prepared.data.to }),
        next: (_ctx, _prepared, result) => {
          equalTypes<typeof result, MutationResult<unknown>>();
        },
      }),
    },
  });
  expect(connections.mail.connector).toBe("smtp");
});
