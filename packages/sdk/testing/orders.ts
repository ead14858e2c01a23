/** Topics and a connection with every kind of operation, for the type tests. */
import { connection, type metered, type mutation, type read, schema } from "../index.ts";

export const topics = {
  "order.received": {
    schema: schema.record({
      id: schema.text(),
      total: schema.nat(),
      note: schema.option(schema.text()),
    }),
  },
  "order.booked": { observed: true, schema: schema.record({ bookingId: schema.text() }) },
  "order.raw": {},
} as const;

export interface ShopOperations {
  listOrders: read.list<{ since: string }, readonly { id: string; total: number }[]>;
  getOrder: read.byId<{ id: string }, { id: string; total: number }>;
  findBooking: read.byKey<{ orderId: string }, { bookingId: string } | null>;
  book: mutation<{ id: string; total: number }, { bookingId: string }>;
  cancel: mutation<{ id: string }, { canceled: boolean }>;
  ping: mutation<void, null>;
  summarize: metered<{ text: string }, string>;
}

export const connections = {
  shop: connection<ShopOperations>({ connector: "http", account: "shop" }),
  mail: { connector: "smtp", account: "office" },
} as const;
