/**
 * Orders of a shop are booked and sent: what `npm start` runs. The service behind it does what it
 * is asked and loses many of its answers; nothing here has to know of that.
 */
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
  number: schema.nat(),
  customer: schema.text(),
  cents: schema.nat(),
});

type Order = Infer<typeof order>;
type Answer<Body> = { status: number; body: Body };

interface ShopOperations {
  list: read.list<{ path: "/orders"; query: { after: string } }, Answer<readonly Order[]>>;
}

interface BooksOperations {
  post: mutation<
    { path: "/bookings"; body: { order: number; cents: number }; ref: string },
    Answer<{ booking: number }>
  >;
}

interface ParcelsOperations {
  post: mutation<
    { path: "/parcels"; body: { order: number }; ref: string },
    Answer<{ parcel: number }>
  >;
}

const connections = {
  shop: connection<ShopOperations>({ connector: "http", account: "shop" }),
  books: connection<BooksOperations>({ connector: "http", account: "books" }),
  parcels: connection<ParcelsOperations>({ connector: "http", account: "parcels" }),
};

const topics = {
  "order.placed": { schema: order },
  "order.booked": { schema: schema.record({ number: schema.nat(), booking: schema.nat() }) },
  "order.sent": {
    schema: schema.record({ number: schema.nat(), parcel: schema.nat() }),
    observed: true,
  },
};

export default workflow<typeof topics, typeof connections>({
  name: "orders",
  connections,
  topics,
  producers: {
    poll: producer({
      publishes: ["order.placed"],
      schedule: { interval: "1s" },
      handler: async (ctx, state: { after: number } | undefined) => {
        const after = state?.after ?? 0;
        const { body } = await ctx.shop.list({ path: "/orders", query: { after: String(after) } });
        for (const each of body) {
          const id = String(each.number);
          const title = `Order ${id} of ${each.customer}, ${(each.cents / 100).toFixed(2)}`;
          const inputId = await ctx.registerInput({ source: "shop", type: "order", id, title });
          // The shop's own number: seeing an order again publishes no second event.
          await ctx.publish("order.placed", { messageId: id, inputId, title, payload: each });
        }
        return { after: body.at(-1)?.number ?? after };
      },
    }),
  },
  consumers: {
    book: consumer({
      subscribe: ["order.placed"],
      publishes: ["order.booked"],
      prepare: async (ctx) => {
        const [event] = await ctx.peek("order.placed", { limit: 1 });
        if (event === undefined) return { reservations: [], data: { order: null } };
        return {
          reservations: [{ topic: "order.placed", ids: [event.messageId] }],
          data: { order: event.payload },
          ui: { title: `Book order ${event.payload.number}` },
        };
      },
      mutate: async (ctx, prepared) => {
        if (prepared.data.order === null) return;
        const { number, cents } = prepared.data.order;
        const ref = String(number);
        return ctx.books.post({ path: "/bookings", body: { order: number, cents }, ref });
      },
      next: async (ctx, prepared, result) => {
        if (result.status !== "applied" || prepared.data.order === null) return;
        const { number } = prepared.data.order;
        const { booking } = result.result.body;
        const messageId = String(number);
        await ctx.publish("order.booked", { messageId, payload: { number, booking } });
      },
    }),
    send: consumer({
      subscribe: ["order.booked"],
      publishes: ["order.sent"],
      prepare: async (ctx) => {
        const [event] = await ctx.peek("order.booked", { limit: 1 });
        if (event === undefined) return { reservations: [], data: { number: null } };
        return {
          reservations: [{ topic: "order.booked", ids: [event.messageId] }],
          data: { number: event.payload.number },
          ui: { title: `Send order ${event.payload.number}` },
        };
      },
      mutate: async (ctx, prepared) => {
        const { number } = prepared.data;
        if (number === null) return;
        return ctx.parcels.post({ path: "/parcels", body: { order: number }, ref: String(number) });
      },
      next: async (ctx, prepared, result) => {
        const { number } = prepared.data;
        if (result.status !== "applied" || number === null) return;
        const { parcel } = result.result.body;
        await ctx.publish("order.sent", { messageId: String(number), payload: { number, parcel } });
      },
    }),
  },
});
