/** Type tests: they fail to compile if a type became looser or stricter. Handlers never run. */
import { describe, test } from "vitest";
import { type Json, producer, workflow } from "./index.ts";
import { equalTypes } from "./testing/equal-types.ts";
import { connections, topics } from "./testing/orders.ts";

const name = "orders";
const interval = { interval: "5m" } as const;

describe("a producer", () => {
  test("registers inputs and publishes in both forms, each payload by its topic", () => {
    workflow<typeof topics, typeof connections>({
      name,
      topics,
      connections,
      producers: {
        poll: producer({
          publishes: ["order.received"],
          schedule: { cron: "0 9 * * *", timeZone: "Europe/Vienna" },
          handler: async (ctx) => {
            const inputId = await ctx.registerInput({
              source: "shop",
              type: "order",
              id: "1",
              title: "Order 1",
            });
            equalTypes<typeof inputId, string>();
            const payload = { id: "1", total: 1 };
            await ctx.publish("order.received", { messageId: "1", inputId, payload });
            await ctx.publish("order.received", { messageId: "1", title: "Order 1", ...payload });
            await ctx.publish("order.received", { payload: { ...payload, note: null } });
            // @ts-expect-error The total is missing.
            await ctx.publish("order.received", { messageId: "1", payload: { id: "1" } });
            // @ts-expect-error The same in the flat form.
            await ctx.publish("order.received", { messageId: "1", id: "1" });
            // @ts-expect-error Either all under payload, or all beside messageId.
            await ctx.publish("order.received", { id: "1", payload });
            // @ts-expect-error The record has no such field.
            await ctx.publish("order.received", { payload: { ...payload, color: "red" } });
            // @ts-expect-error A message id is text.
            await ctx.publish("order.received", { messageId: 1, payload });
            // @ts-expect-error The topic is declared, but not in publishes.
            await ctx.publish("order.raw", { payload: null });
            // @ts-expect-error No such topic.
            await ctx.publish("order.lost", { payload: null });
            // @ts-expect-error An input has a title for people.
            await ctx.registerInput({ source: "shop", type: "order", id: "1" });
          },
        }),
      },
    });
  });

  test("publishes several events, or to several topics, in one call", () => {
    workflow<typeof topics, typeof connections>({
      name,
      topics,
      connections,
      producers: {
        poll: producer({
          manual: true,
          handler: async (ctx) => {
            const one = { messageId: "1", payload: { id: "1", total: 1 } };
            await ctx.publish("order.received", [one, { messageId: "2", id: "2", total: 2 }]);
            await ctx.publish(["order.received", "order.raw"], one);
            // @ts-expect-error The second event lacks its total.
            await ctx.publish("order.received", [one, { payload: { id: "2" } }]);
            // @ts-expect-error The event must fit both topics.
            await ctx.publish(["order.received", "order.booked"], one);
          },
        }),
      },
    });
  });

  test("reads, keeps notes and changes nothing", () => {
    workflow<typeof topics, typeof connections>({
      name,
      topics,
      connections,
      producers: {
        poll: producer({
          schedule: interval,
          handler: async (ctx) => {
            await ctx.shop.listOrders({ since: "" });
            await ctx.shop.summarize({ text: "" });
            equalTypes<Awaited<ReturnType<typeof ctx.kv.get>>, Json | undefined>();
            await ctx.kv.set("cursor", { at: 1 });
            await ctx.kv.delete("cursor");
            ctx.log("started because of", ctx.trigger.reason);
            for (const { inputId, body } of ctx.trigger.deliveries ?? []) ctx.log(inputId, body);
            // @ts-expect-error Producers change nothing outside.
            await ctx.shop.book({ id: "1", total: 1 });
            // @ts-expect-error Producers read no topics.
            await ctx.peek("order.received");
            // @ts-expect-error Items belong to jobs.
            await ctx.withItem("1", "Order 1", () => {});
            // @ts-expect-error Kept values are plain JSON.
            await ctx.kv.set("at", new Date(0));
          },
        }),
      },
    });
  });

  test("gets the state that it returned", () => {
    type Cursor = { readonly since: string };
    workflow<typeof topics, typeof connections>({
      name,
      topics,
      connections,
      producers: {
        good: producer({
          schedule: interval,
          handler: async (ctx, state: Cursor | undefined) => {
            const orders = await ctx.shop.listOrders({ since: state?.since ?? "" });
            return orders.length === 0 ? undefined : { since: orders[0]?.id ?? "" };
          },
        }),
        silent: producer({ manual: true, handler: async () => {} }),
        wrong: producer({
          schedule: interval,
          // @ts-expect-error It returns another state than it takes.
          handler: async (_ctx, _state: Cursor | undefined) => ({ since: 5 }),
        }),
        date: producer({
          schedule: interval,
          // @ts-expect-error State is plain JSON.
          handler: async () => ({ at: new Date(0) }),
        }),
      },
    });
  });

  test("is started in one way", () => {
    const handler = (): void => {};
    workflow<typeof topics, typeof connections>({
      name,
      topics,
      connections,
      producers: {
        clock: producer({ schedule: { interval: "1h", catchUp: "skip" }, handler }),
        hook: producer({ webhook: {}, handler }),
        signed: producer({ webhook: { secret: "shop", signature: "sha256" }, handler }),
        // @ts-expect-error A signature is made with a secret.
        unsigned: producer({ webhook: { signature: "sha256" }, handler }),
        person: producer({ manual: true, handler }),
        // @ts-expect-error A clock or a webhook, not both.
        both: producer({ schedule: interval, webhook: {}, handler }),
        // @ts-expect-error An interval or a cron line, not both.
        twice: producer({ schedule: { interval: "1h", cron: "0 9 * * *" }, handler }),
        // @ts-expect-error Without a handler there is nothing to run.
        idle: producer({ schedule: interval }),
      },
    });
  });

  test("may be a plain object or a bare function, also with topics written in place", () => {
    workflow({
      name,
      connections,
      topics: { seen: { schema: topics["order.received"].schema } },
      producers: {
        plain: {
          publishes: ["seen"],
          schedule: interval,
          handler: async (ctx, state: { at: string } | undefined) => {
            const [order] = await ctx.shop.listOrders({ since: state?.at ?? "" });
            if (order) await ctx.publish("seen", { messageId: order.id, ...order });
            // @ts-expect-error The id is text.
            await ctx.publish("seen", { id: 1, total: 1 });
            // @ts-expect-error No such topic.
            await ctx.publish("sene", { id: "1", total: 1 });
            // @ts-expect-error Producers change nothing outside.
            await ctx.shop.book({ id: "1", total: 1 });
            return { at: "now" };
          },
        },
        async bare(ctx) {
          await ctx.publish("seen", { messageId: "1", id: "1", total: 1 });
          // @ts-expect-error The total is missing.
          await ctx.publish("seen", { messageId: "1", id: "1" });
        },
        // @ts-expect-error No such topic may be listed.
        typo: { publishes: ["sene"], handler: () => {} },
      },
    });
  });
});
