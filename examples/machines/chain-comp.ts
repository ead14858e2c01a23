/** Charge, then reserve; if the goods cannot be reserved, the charge is taken back. One machine. */
import { continuation, machine, saga, schema, workflow } from "@holdfast/sdk";

const placed = schema.record({ orderId: schema.text(), amountCents: schema.nat() });
const topics = { "order.placed": { schema: placed } };

const state = schema.record({
  phase: schema.text(),
  orderId: schema.text(),
  amountCents: schema.nat(),
  done: saga.schema,
});

/** One call at a time: the phase says whose answer it is. `ref` is what the service knows it by. */
function post(connection: string, path: string, ref: string, body: object) {
  const params = { connection, path, json: JSON.stringify(body), ref };
  return { effect: "http/post@1", params } as const;
}

export default workflow<typeof topics>({
  name: "orders",
  connections: {
    bank: { connector: "http", account: "bank" },
    stock: { connector: "http", account: "stock" },
  },
  topics,
  machines: {
    order: machine({
      state,
      event: schema.variant({
        Placed: schema.ref("order.placed", placed),
        Receipt: continuation.receipt,
      }),
      key: schema.text(),
      effects: ["http/post@1"],
      subscribe: [{ topic: "order.placed", key: "orderId" }],
      step(before, event) {
        if (event.$tag === "Placed") {
          // The same order again: it is in hand already.
          if (before !== null) return { state: before };
          const { orderId, amountCents } = event.$value;
          return {
            state: { phase: "Charging", orderId, amountCents, done: [] },
            effects: [post("bank", "/charges", orderId, { orderId, amountCents })],
          };
        }
        if (before === null) return { state: null };
        const { orderId, amountCents } = before;
        const isOk = event.$value.status === "ok";
        switch (before.phase) {
          case "Charging": {
            if (!isOk) return { state: { ...before, phase: "NotCharged" }, done: true };
            const { json } = event.$value.payload as { readonly json: string };
            const { chargeId } = JSON.parse(json) as { readonly chargeId: string };
            const done = saga.did(before.done, "charge", chargeId);
            return {
              state: { ...before, phase: "Reserving", done },
              effects: [post("stock", "/reservations", orderId, { orderId })],
            };
          }
          case "Reserving": {
            if (isOk) return { state: { ...before, phase: "Done" }, done: true };
            const last = saga.undo(before.done);
            if (last === null) return { state: { ...before, phase: "Failed" }, done: true };
            const refund = { chargeId: last.note, amountCents };
            return {
              state: { ...before, phase: "Refunding", done: last.rest },
              effects: [post("bank", "/refunds", last.note, refund)],
            };
          }
          default:
            return { state: { ...before, phase: isOk ? "Refunded" : "RefundFailed" }, done: true };
        }
      },
    }),
  },
});
