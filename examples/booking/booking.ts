/** Each new order of a shop becomes one entry in the books. */
import {
  connection,
  consumer,
  type Infer,
  type mutation,
  producer,
  type read,
  schema,
  workflow,
} from "@holdfast/sdk";

const order = schema.record({
  id: schema.text(),
  customer: schema.text(),
  totalCents: schema.nat(),
  placedAt: schema.text(),
});

type Order = Infer<typeof order>;

interface ShopOperations {
  listOrders: read.list<{ placedFrom: string; limit: number }, readonly Order[]>;
}

interface BooksOperations {
  findAccount: read.byKey<{ customer: string }, { accountId: string } | null>;
  addEntry: mutation<
    { reference: string; accountId: string; amountCents: number },
    { entryId: string }
  >;
}

const connections = {
  shop: connection<ShopOperations>({ connector: "http", account: "shop" }),
  books: connection<BooksOperations>({ connector: "http", account: "books" }),
};

const topics = {
  "order.received": { schema: order },
  "order.booked": {
    schema: schema.record({ orderId: schema.text(), entryId: schema.text() }),
    observed: true,
  },
};

/** Where bookings go whose customer has no account yet. */
const collectiveAccount = "1400";
const ordersPerLook = 100;

export default workflow<typeof topics, typeof connections>({
  name: "orders",
  connections,
  topics,
  producers: {
    poll: producer({
      publishes: ["order.received"],
      schedule: { interval: "5m" },
      handler: async (ctx, state: { placedFrom: string } | undefined) => {
        const placedFrom = state?.placedFrom ?? "1970-01-01T00:00:00Z";
        const orders = await ctx.shop.listOrders({ placedFrom, limit: ordersPerLook });
        for (const each of orders) {
          const title = `Order ${each.id} of ${each.customer}`;
          const inputId = await ctx.registerInput({
            source: "shop",
            type: "order",
            id: each.id,
            title,
          });
          // The shop's own id: seeing an order again publishes no second event.
          await ctx.publish("order.received", {
            messageId: each.id,
            inputId,
            title,
            payload: each,
          });
        }
        return { placedFrom: orders.at(-1)?.placedAt ?? placedFrom };
      },
    }),
  },
  consumers: {
    book: consumer({
      subscribe: ["order.received"],
      publishes: ["order.booked"],
      prepare: async (ctx) => {
        const [event] = await ctx.peek("order.received", { limit: 1 });
        if (event === undefined) return { reservations: [], data: { entry: null } };
        const { id, customer, totalCents } = event.payload;
        const account = await ctx.books.findAccount({ customer });
        return {
          reservations: [{ topic: "order.received", ids: [event.messageId] }],
          data: {
            entry: {
              reference: id,
              accountId: account?.accountId ?? collectiveAccount,
              amountCents: totalCents,
            },
          },
          ui: { title: `Book order ${id} of ${customer}` },
        };
      },
      mutate: async (ctx, prepared) => {
        const { entry } = prepared.data;
        if (entry === null || entry.amountCents === 0) return;
        return ctx.books.addEntry(entry);
      },
      next: async (ctx, prepared, result) => {
        const { entry } = prepared.data;
        // Nothing was booked: a free order, an empty look, or a person who skipped it.
        if (result.status !== "applied" || entry === null) return;
        const { entryId } = result.result;
        await ctx.publish("order.booked", {
          messageId: entry.reference,
          payload: { orderId: entry.reference, entryId },
        });
      },
    }),
  },
});
