// A short workflow: every order that comes in is booked at a shop, once.
import { consumer, workflow } from "@holdfast/sdk";

export default workflow({
  name: "first",
  connections: { shop: { connector: "http", account: "shop" } },
  topics: { "order.received": {}, "order.booked": { observed: true } },
  producers: {
    byHand: { manual: true, publishes: ["order.received"], handler: async () => {} },
  },
  consumers: {
    book: consumer({
      subscribe: ["order.received"],
      publishes: ["order.booked"],
      prepare: async (ctx) => {
        const [event] = await ctx.peek("order.received", { limit: 1 });
        if (event === undefined) return { reservations: [], data: {} };
        return {
          reservations: [{ topic: "order.received", ids: [event.messageId] }],
          data: { id: event.messageId, sum: event.payload.sum },
          ui: { title: `Book order ${event.messageId}` },
        };
      },
      mutate: async (ctx, prepared) => {
        const { id, sum } = prepared.data;
        return ctx.shop.post({ path: "/orders", body: { id, sum }, ref: id });
      },
      next: async (ctx, prepared, result) => {
        if (result.status !== "applied") return;
        await ctx.publish("order.booked", { messageId: prepared.data.id, booked: true });
      },
    }),
  },
});
