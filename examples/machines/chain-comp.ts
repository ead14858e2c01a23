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

const effects = ["pay/charge@1", "stock/reserve@1", "pay/refund@1"] as const;

export default workflow<typeof topics>({
  name: "orders",
  topics,
  machines: {
    order: machine({
      state,
      event: schema.variant({
        Placed: schema.ref("order.placed", placed),
        Receipt: continuation.receipt,
      }),
      key: schema.text(),
      effects,
      subscribe: [{ topic: "order.placed", key: "orderId" }],
      step(before, event) {
        if (event.$tag === "Placed") {
          // The same order again: it is in hand already.
          if (before !== null) return { state: before };
          const { orderId, amountCents } = event.$value;
          const params = { connection: "bank", orderId, amountCents };
          return {
            state: { phase: "Charging", orderId, amountCents, done: [] },
            effects: [{ effect: "pay/charge@1", params, key: orderId }],
          };
        }
        if (before === null) return { state: null };
        const { orderId, amountCents } = before;
        const isOk = event.$value.status === "ok";
        switch (event.$value.effect) {
          case "pay/charge@1": {
            if (!isOk) return { state: { ...before, phase: "NotCharged" }, done: true };
            const { chargeId } = event.$value.payload as { chargeId: string };
            return {
              state: {
                ...before,
                phase: "Reserving",
                done: saga.did(before.done, "charge", chargeId),
              },
              effects: [{ effect: "stock/reserve@1", params: { connection: "stock", orderId } }],
            };
          }
          case "stock/reserve@1": {
            if (isOk) return { state: { ...before, phase: "Done" }, done: true };
            const last = saga.undo(before.done);
            if (last === null) return { state: { ...before, phase: "Failed" }, done: true };
            const params = { connection: "bank", chargeId: last.note, amountCents };
            return {
              state: { ...before, phase: "Refunding", done: last.rest },
              effects: [{ effect: "pay/refund@1", params, key: last.note }],
            };
          }
          default:
            return { state: { ...before, phase: isOk ? "Refunded" : "RefundFailed" }, done: true };
        }
      },
    }),
  },
});
