import { contentHash } from "@holdfast/core";
import type { EffectDeclaration } from "@holdfast/core/machine";

const params = {
  type: "record",
  fields: { connection: { type: "text" }, id: { type: "text" } },
} as const;
const receipt = { type: "record", fields: { number: { type: "nat" } } } as const;

function effect(operation: string, kind: "mutation" | "read"): EffectDeclaration {
  const executor = { module: "shop", moduleHash: contentHash("shop 1"), entrypoint: operation };
  return { name: `shop/${operation}@1`, kind, params, receipt, error: null, executor };
}

export const effects = [effect("book", "mutation"), effect("look", "read")];

/** One machine with a single cell, one with many, and one that asks and waits for the answer. */
export const machineText = `
  import { continuation, machine, schema, workflow } from "@holdfast/sdk";
  const order = schema.record({ id: schema.text(), sum: schema.nat() });
  const state = schema.record({ count: schema.nat(), total: schema.nat(), last: schema.text() });
  const counted = (before, { id, sum }) => ({
    count: (before?.count ?? 0) + 1,
    total: (before?.total ?? 0) + sum,
    last: id,
  });
  const events = { Placed: schema.ref("order.placed", order), Receipt: continuation.receipt };
  const asking = (effect) =>
    machine({
      state, event: schema.variant(events), key: schema.text(), effects: [effect], subscribe: [],
      step(before, event) {
        if (event.$tag === "Receipt") {
          return { state: { ...before, total: before.total + event.$value.payload.number } };
        }
        const params = { connection: "shop", id: event.$value.id };
        return { state: counted(before, event.$value), effects: [{ effect, params }] };
      },
    });
  export default workflow({
    name: "counting",
    connections: { shop: { connector: "http", account: "shop" } },
    topics: { "order.placed": { schema: order } },
    machines: {
      hot: machine({
        state, event: schema.ref("order.placed", order), effects: [],
        subscribe: [], step: (before, event) => ({ state: counted(before, event) }),
      }),
      cells: machine({
        state, event: schema.ref("order.placed", order), key: schema.text(), effects: [],
        subscribe: [],
        step(before, event) {
          if (event.id === "poison") throw new Error("as told");
          return { state: counted(before, event) };
        },
      }),
      looks: asking("shop/look@1"),
      books: asking("shop/book@1"),
    },
  });`;
