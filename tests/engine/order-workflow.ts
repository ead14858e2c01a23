/** A workflow that polls orders and books them; tests give it the consumer they are about. */
export const orderSource = (consumer: string = bookOneByOne) => `
  import { workflow } from "@holdfast/sdk";
  export default workflow({
    name: "orders",
    connections: { shop: { connector: "http", account: "shop" } },
    topics: { "order.received": {}, "order.booked": { observed: true } },
    producers: {
      poll: {
        publishes: ["order.received"],
        schedule: { interval: "5m" },
        handler: async (ctx, state) => {
          const orders = await ctx.shop.listOrders({ after: state?.count ?? 0 });
          for (const order of orders) {
            const title = "Order " + order.id;
            await ctx.publish("order.received", { messageId: order.id, title, sum: order.sum });
          }
          return { count: orders.length };
        },
      },
    },
    consumers: { book: { subscribe: ["order.received"], ${consumer} } },
  });`;

/** One order, one booking, one event about it, and a total as state. */
export const bookOneByOne = `
  publishes: ["order.booked"],
  prepare: async (ctx, state) => {
    const [event] = await ctx.peek("order.received", { limit: 1 });
    if (!event) return { reservations: [], data: {} };
    return {
      reservations: [{ topic: "order.received", ids: [event.messageId] }],
      data: { id: event.messageId, sum: event.payload.sum, before: state?.total ?? 0 },
      ui: { title: "Book order " + event.messageId },
    };
  },
  mutate: async (ctx, prepared) => {
    await ctx.shop.bookOrder({ id: prepared.data.id, sum: prepared.data.sum });
  },
  next: async (ctx, prepared, result) => {
    if (result.status === "none") return undefined;
    if (result.status === "skipped") return undefined;
    const { number } = result.result;
    await ctx.publish("order.booked", { messageId: prepared.data.id, number });
    return { total: prepared.data.before + prepared.data.sum };
  },`;
