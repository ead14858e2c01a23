import { contentHash } from "@holdfast/core";
import type { Known } from "../known.ts";

/** A workspace for the golden scripts. */
export const shop: Known = {
  connections: { gmail: "gmail", sheets: "sheets" },
  connectors: {
    http: {
      listOrders: "read:list",
      getOrder: "read:byId",
      getOrderByNumber: "read:byKey",
      book: "mutation",
      cancel: "mutation",
    },
    gmail: { search: "read:list", get: "read:byId", send: "mutation" },
    sheets: { find: "read:list", appendRow: "mutation", updateRow: "mutation" },
    model: { summarize: "metered" },
  },
  effects: [
    {
      name: "http/book@1",
      kind: "mutation",
      params: { type: "record", fields: { id: { type: "text" } } },
      receipt: { type: "record", fields: { number: { type: "nat" } } },
      error: null,
      executor: { module: "http", moduleHash: contentHash("http"), entrypoint: "book" },
    },
  ],
};
