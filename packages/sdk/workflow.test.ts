import { describe, expect, test } from "vitest";
import * as sdk from "./index.ts";
import { consumer, job, machine, producer, schema, workflow } from "./index.ts";
import { equalTypes } from "./testing/equal-types.ts";
import { connections, topics } from "./testing/orders.ts";

const prepare = async () => ({ reservations: [], data: {} });

describe("definitions", () => {
  const handler = (): void => {};
  const step = () => ({ state: null });
  const event = schema.json();

  test.each([
    ["workflow", workflow({ name: "a", topics: {} }), { name: "a", topics: {} }],
    ["producer", producer({ manual: true, handler }), { manual: true, handler }],
    ["consumer", consumer({ subscribe: ["a"], prepare }), { subscribe: ["a"], prepare }],
    ["job", job({ manual: true, handler }), { manual: true, handler }],
    [
      "machine",
      machine({ state: event, event, effects: [], subscribe: [], step }),
      { state: event, event, effects: [], subscribe: [], step },
    ],
  ])("%s() gives its definition a kind and leaves the rest as it is", (kind, made, given) => {
    expect(made).toStrictEqual({ ...given, $kind: kind });
  });

  test("keep the very functions they were given", () => {
    const made = consumer({ subscribe: ["a"], prepare }) as unknown as { prepare: unknown };
    expect(made.prepare).toBe(prepare);
  });

  test("may be frozen, and cannot pretend to be of another kind", () => {
    const given = Object.freeze({ name: "a", topics: {}, $kind: "job" });
    expect(workflow(given).$kind).toBe("workflow");
    expect(given.$kind).toBe("job");
  });

  test.each([undefined, null, "orders", () => {}])("are objects, not %s", (given) => {
    const call = workflow as unknown as (definition: unknown) => unknown;
    expect(() => call(given)).toThrow("workflow() takes one object");
  });

  test("connection() is what it was given, without the types", () => {
    expect(connections.shop).toStrictEqual({ connector: "http", account: "shop" });
  });

  test("the global Keep offers exactly what can be imported", () => {
    equalTypes<typeof Keep, typeof sdk>();
    const definitions = "connection consumer job machine producer schema workflow";
    const helpers = "continuation deadline emissions fence join pending retry saga";
    const offered = `${definitions} ${helpers}`.split(" ").toSorted();
    expect(Object.keys(sdk).toSorted()).toEqual(offered);
  });
});

describe("workflow", () => {
  test("checks the topics of handlers that learn nothing from it", () => {
    workflow({
      name: "orders",
      topics,
      consumers: {
        known: consumer({ subscribe: ["order.raw"], prepare }),
        // @ts-expect-error No such topic is declared.
        typo: consumer({ subscribe: ["order.rwa"], prepare }),
      },
      producers: {
        known: producer({ publishes: ["order.raw"], manual: true, handler: () => {} }),
        // @ts-expect-error No such topic is declared.
        typo: producer({ publishes: ["order.rwa"], manual: true, handler: () => {} }),
      },
    });
  });

  test("takes plain consumers and jobs; only what they pass on is untyped", () => {
    workflow({
      name: "orders",
      topics,
      connections,
      consumers: {
        book: {
          subscribe: ["order.received"],
          prepare: async (ctx) => {
            const [first] = await ctx.peek("order.received");
            equalTypes<NonNullable<typeof first>["payload"]["total"], number>();
            // @ts-expect-error A mutation belongs in mutate.
            await ctx.shop.ping();
            return { reservations: [], data: { id: first?.messageId ?? "" } };
          },
          mutate: async (ctx, prepared: sdk.Prepared<{ id: string }>) => {
            await ctx.shop.cancel({ id: prepared.data.id });
            // @ts-expect-error Lists never belong in mutate.
            await ctx.shop.listOrders({ since: "" });
          },
          next: async (ctx, _prepared, result) => {
            equalTypes<typeof result.status, "applied" | "none" | "skipped">();
            // @ts-expect-error The payload has another type.
            await ctx.publish("order.booked", { bookingId: 1 });
          },
        },
      },
      jobs: {
        bill: {
          manual: true,
          handler: async (ctx) => {
            await ctx.withItem("1", "Order 1", async (item) => item.shop.ping());
            // @ts-expect-error A mutation needs an item.
            await ctx.shop.ping();
          },
        },
      },
    });
  });

  test("knows its own parts", () => {
    // @ts-expect-error The word is consumers.
    workflow({ name: "a", topics: {}, consumer: {} });
    // @ts-expect-error A workflow has a name.
    workflow({ topics: {} });
    // @ts-expect-error A topic's schema is built with the SDK's builders.
    workflow({ name: "a", topics: { a: { schema: "text" } } });
    workflow({
      name: "a",
      topics: { a: {} },
      // @ts-expect-error A producer is not a consumer.
      consumers: { a: producer({ manual: true, handler: () => {} }) },
    });
  });
});
