/** Two machines that know each other only by events: taking an order, and shipping it. */
import { continuation, fence, machine, schema, workflow } from "@holdfast/sdk";

const placed = schema.record({ orderId: schema.text() });
const accepted = schema.record({ orderId: schema.text() });
const shipped = schema.record({ orderId: schema.text(), parcel: schema.text() });
const topics = {
  "order.placed": { schema: placed },
  "order.accepted": { schema: accepted },
  "order.shipped": { schema: shipped },
};

export default workflow<typeof topics>({
  name: "shipping",
  connections: { carrier: { connector: "http", account: "carrier" } },
  topics,
  machines: {
    orders: machine({
      state: schema.record({ seen: fence.schema, shipped: schema.nat() }),
      event: schema.variant({
        Placed: schema.ref("order.placed", placed),
        Shipped: schema.ref("order.shipped", shipped),
      }),
      effects: [],
      subscribe: [{ topic: "order.placed" }, { topic: "order.shipped" }],
      step(before, event) {
        const known = before ?? { seen: [], shipped: 0 };
        if (event.$tag === "Shipped") return { state: { ...known, shipped: known.shipped + 1 } };
        const { orderId } = event.$value;
        const seen = fence.pass(known.seen, orderId, 100);
        if (seen === null) return { state: known };
        return {
          state: { ...known, seen },
          events: [{ topic: "order.accepted", payload: { orderId } }],
        };
      },
    }),
    parcel: machine({
      state: schema.record({ phase: schema.text() }),
      event: schema.variant({
        Accepted: schema.ref("order.accepted", accepted),
        Receipt: continuation.receipt,
      }),
      key: schema.text(),
      effects: ["http/post@1"],
      subscribe: [{ topic: "order.accepted", key: "orderId" }],
      step(_before, event, ctx) {
        if (event.$tag === "Accepted") {
          const json = JSON.stringify({ orderId: ctx.key });
          const params = { connection: "carrier", path: "/parcels", json, ref: ctx.key };
          return { state: { phase: "Sending" }, effects: [{ effect: "http/post@1", params }] };
        }
        if (event.$value.status !== "ok") return { state: { phase: "NotSent" }, done: true };
        const { json } = event.$value.payload as { readonly json: string };
        const { parcel } = JSON.parse(json) as { readonly parcel: string };
        return {
          state: { phase: "Sent" },
          events: [{ topic: "order.shipped", payload: { orderId: ctx.key, parcel } }],
          done: true,
        };
      },
    }),
  },
});
