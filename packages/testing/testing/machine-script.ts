import { mutation, type ScriptedConnections } from "../operations.ts";

/** Books each order, again after a failure that a timer has let pass, and says so. */
export const machineScript = `
  import { continuation, deadline, machine, schema, workflow } from "@holdfast/sdk";
  const order = schema.record({ id: schema.text() });
  export default workflow({
    name: "orders",
    connections: { shop: { connector: "shops", account: "shop" } },
    topics: {
      "order.placed": { schema: order },
      "order.booked": { schema: order, observed: true },
    },
    machines: {
      order: machine({
        state: schema.record({ tries: schema.nat(), parts: schema.nat() }),
        event: schema.variant({
          Placed: schema.ref("order.placed", order),
          Receipt: continuation.receipt,
          Frame: continuation.frame,
        }),
        key: schema.text(),
        context: true,
        effects: ["shops/book@1", "sys/timer.set@1"],
        subscribe: [{ topic: "order.placed", key: "id" }],
        step(before, event, ctx) {
          const id = ctx.key;
          const state = before ?? { tries: 0, parts: 0 };
          const book = { effect: "shops/book@1", params: { connection: "shop", id } };
          const next = { ...state, tries: state.tries + 1 };
          if (event.$tag === "Placed") return { state: next, effects: [book] };
          if (event.$tag === "Frame") return { state: { ...state, parts: state.parts + 1 } };
          const { effect, status } = event.$value;
          if (effect === "sys/timer.set@1") return { state: next, effects: [book] };
          if (status !== "ok") {
            const params = { deliver_at_ns: deadline.after(ctx, 60000) };
            return { state, effects: [{ effect: "sys/timer.set@1", params }] };
          }
          const booked = { topic: "order.booked", messageId: id, payload: { id } };
          return { state, events: [booked], done: true };
        },
      }),
    },
  });`;

const exact = {
  params: { id: { type: "text" } },
  result: { type: "record", fields: { number: { type: "nat" } } },
} as const;

type Answer = Parameters<typeof mutation<{ readonly id: string }>>[0];

/** It can be asked what has happened. */
export function machineShop(answer: Answer = { number: 1 }): ScriptedConnections {
  return {
    shop: { book: mutation<{ readonly id: string }>(answer, { canReconcile: true, exact }) },
  };
}
