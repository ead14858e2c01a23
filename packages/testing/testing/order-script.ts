import { mutation, read, type ScriptedOperation } from "../operations.ts";

/** Polls a shop every five minutes and books each order. */
export const orderScript = `
  import { workflow } from "@holdfast/sdk";
  export default workflow({
    name: "orders",
    connections: { shop: { connector: "http", account: "shop" } },
    topics: { "order.received": {}, "order.booked": { observed: true } },
    producers: {
      poll: {
        publishes: ["order.received"],
        schedule: { interval: "5m" },
        handler: async (ctx) => {
          for (const { id, sum } of await ctx.shop.listOrders({})) {
            const title = "Order " + id;
            const inputId = await ctx.registerInput({ source: "shop", type: "order", id, title });
            await ctx.publish("order.received", { messageId: id, inputId, title, sum });
          }
        },
      },
    },
    consumers: {
      book: {
        subscribe: ["order.received"],
        publishes: ["order.booked"],
        prepare: async (ctx, state) => {
          const [event] = await ctx.peek("order.received", { limit: 1 });
          if (!event) return { reservations: [], data: {} };
          ctx.log("booking " + event.messageId);
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
          if (result.status !== "applied") return;
          const { id, sum, before } = prepared.data;
          await ctx.publish("order.booked", { messageId: id, number: result.result.number });
          return { total: before + sum };
        },
      },
    },
  });`;

export const bookOrder: ScriptedOperation = mutation(({ id }) => ({ number: `B-${String(id)}` }));

/** Two orders, and what becomes of a booking. */
export function shopWith(book: ScriptedOperation = bookOrder) {
  const orders = [
    { id: "a", sum: 10 },
    { id: "b", sum: 20 },
  ];
  return { shop: { listOrders: read.list(orders), bookOrder: book } };
}

/** The same, with events that are named by more than the order: the validator does not see it. */
export function namedBy(expression: string): string {
  const made = orderScript.replace("messageId: id, inputId", "messageId: nameOf(id), inputId");
  return `${made}\nfunction nameOf(id) { return id + ${expression}; }`;
}
