/** Type tests: they fail to compile if a type became looser or stricter. Steps never run. */
import { describe, test } from "vitest";
import { machine, schema, workflow } from "./index.ts";
import { equalTypes } from "./testing/equal-types.ts";
import { connections, topics } from "./testing/orders.ts";

const name = "orders";
const state = schema.record({ paid: schema.nat(), note: schema.option(schema.text()) });
const event = topics["order.received"].schema;
const subscribe = [{ topic: "order.received", key: "id" }] as const;

describe("a machine", () => {
  test("steps from state and event to state, events and declared effects", () => {
    workflow<typeof topics, typeof connections>({
      name,
      topics,
      connections,
      machines: {
        billing: machine({
          state,
          event,
          key: schema.text(),
          effects: ["http/book@1", "sys/timer.set@1"],
          subscribe,
          migrate(left, from) {
            equalTypes<typeof left, unknown>();
            equalTypes<typeof from.key, string>();
            // @ts-expect-error A step's powers, and nothing to ask for anything with.
            from.publish;
            return { paid: 0 };
          },
          step(before, order, ctx) {
            type State = { readonly paid: number; readonly note: string | null };
            equalTypes<typeof before, State | null>();
            equalTypes<typeof order.total, number>();
            equalTypes<typeof ctx.key, string>();
            // @ts-expect-error A step publishes by returning events.
            ctx.publish;
            // @ts-expect-error A step asks for outside work by returning effects.
            ctx.shop;
            return {
              state: { paid: (before?.paid ?? 0) + order.total },
              events: [{ topic: "order.booked", payload: { bookingId: order.id } }],
              effects: [{ effect: "http/book@1", params: { id: order.id }, key: "book" }],
              done: order.total === 0,
            };
          },
        }),
        ended: machine({
          state,
          event,
          effects: [],
          subscribe,
          step: (_state, _event, ctx) => {
            equalTypes<typeof ctx.key, null>();
            return { state: null };
          },
        }),
      },
    });
  });

  test("is held to its schemas, effects and topics", () => {
    workflow<typeof topics, typeof connections>({
      name,
      topics,
      connections,
      machines: {
        // @ts-expect-error The new state does not fit its schema.
        shape: machine({ state, event, effects: [], subscribe, step: () => ({ state: {} }) }),
        effect: machine({
          state,
          event,
          effects: ["http/book@1"],
          subscribe,
          // @ts-expect-error The effect is not declared.
          step: () => ({ state: null, effects: [{ effect: "http/cancel@1", params: null }] }),
        }),
        topic: machine({
          state,
          event,
          effects: [],
          subscribe,
          // @ts-expect-error The payload does not fit its topic.
          step: () => ({ state: null, events: [{ topic: "order.booked", payload: { id: 1 } }] }),
        }),
        waits: machine({
          state,
          event,
          effects: [],
          subscribe,
          // @ts-expect-error A step does not wait.
          step: async () => ({ state: null }),
        }),
        // @ts-expect-error The list of effects must be written, also when it is empty.
        unlisted: machine({ state, event, subscribe, step: () => ({ state: null }) }),
      },
    });
  });
});
