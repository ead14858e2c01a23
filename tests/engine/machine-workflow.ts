import { contentHash } from "@holdfast/core";
import type { EffectDeclaration } from "@holdfast/core/machine";

const id = {
  type: "record",
  fields: { connection: { type: "text" }, id: { type: "text" } },
} as const;
const number = { type: "record", fields: { number: { type: "nat" } } } as const;

function effect(
  operation: string,
  kind: "mutation" | "read",
  params: EffectDeclaration["params"] = id,
): EffectDeclaration {
  const executor = { module: "shop", moduleHash: contentHash("shop 1"), entrypoint: operation };
  return { name: `shop/${operation}@1`, kind, params, receipt: number, error: null, executor };
}

const weight = { ...id, fields: { ...id.fields, tokens: { type: "nat" } } } as const;

/** What the machine below asks for, as a connector would offer it. */
export const shopEffects = [
  effect("book", "mutation"),
  effect("look", "read"),
  effect("weigh", "read", weight),
];

/** Books what is ordered, one cell for each order, and says so; does what else the order says. */
export const machineSource = `
  import { continuation, deadline, machine, schema, workflow } from "@holdfast/sdk";
  const order = schema.record({ id: schema.text(), say: schema.text() });
  const booked = schema.record({ id: schema.text(), number: schema.nat() });
  export default workflow({
    name: "orders",
    connections: {
      shop: { connector: "http", account: "shop" },
      depot: { connector: "http", account: "depot" },
    },
    topics: {
      "order.received": { schema: order },
      "order.booked": { schema: booked, observed: true },
      todo: { schema: schema.record({ id: schema.text() }) },
    },
    producers: {
      poll: {
        publishes: ["order.received"],
        manual: true,
        handler: async (ctx) => {
          await ctx.publish("order.received", { messageId: "p1", id: "p1", say: "book" });
        },
      },
    },
    consumers: {
      work: {
        subscribe: ["todo"],
        prepare: async (ctx) => {
          const [event] = await ctx.peek("todo", { limit: 1 });
          if (!event) return { reservations: [], data: {} };
          const ids = [event.messageId];
          return { reservations: [{ topic: "todo", ids }], data: event.payload };
        },
        mutate: async (ctx, { data }) => {
          if (data.id) await ctx.shop.book({ id: data.id });
        },
      },
    },
    machines: {
      order: machine({
        state: schema.record({
          log: schema.list(schema.text()),
          number: schema.option(schema.nat()),
        }),
        event: schema.variant({
          Placed: schema.ref("order.received", order),
          Receipt: continuation.receipt,
          Frame: continuation.frame,
        }),
        key: schema.text(),
        context: true,
        effects: [
          "shop/book@1", "shop/look@1", "shop/weigh@1",
          "sys/timer.set@1", "sys/blob.put@1", "sys/blob.get@1",
        ],
        subscribe: [{ topic: "order.received", key: "id" }],
        step(before, event, ctx) {
          const state = before ?? { log: [], number: null };
          const log = (word) => [...state.log, word];
          if (event.$tag === "Receipt") {
            const { effect, status, payload } = event.$value;
            const asked = state.log.at(-1);
            if (effect === "sys/timer.set@1" && asked === "wait, then book") {
              const params = { connection: "shop", id: ctx.key };
              const effects = [{ effect: "shop/book@1", params }];
              return { state: { ...state, log: log(effect) }, effects };
            }
            const word = effect + " " + status + (status === "error" ? " " + payload.code : "");
            if (effect === "sys/blob.put@1") {
              const params = { blob_ref: payload.blob_ref };
              const get = { effect: "sys/blob.get@1", params };
              return { state: { ...state, log: log(word) }, effects: [get] };
            }
            if (effect !== "shop/book@1" || status !== "ok") {
              return { state: { ...state, log: log(word) } };
            }
            const { number } = payload;
            const booked = { topic: "order.booked", payload: { id: ctx.key, number } };
            return { state: { log: log(word), number }, events: [booked], done: true };
          }
          if (event.$tag === "Frame") {
            const { seq, kind, value } = event.$value;
            const word = kind + " " + seq + " " + JSON.stringify(value);
            return { state: { ...state, log: log(word) } };
          }
          const { id, say } = event.$value;
          const next = { ...state, log: log(say) };
          const params = { connection: "shop", id };
          switch (say) {
            case "book": return { state: next, effects: [{ effect: "shop/book@1", params }] };
            case "keyed": return {
              state: next,
              effects: [{ effect: "shop/book@1", params, key: "once" }],
            };
            case "keyed soon": return {
              state: next,
              effects: [{ effect: "shop/book@1", params, key: "once", deadlineMs: 5000 }],
            };
            case "other": return {
              state: next,
              effects: [
                { effect: "shop/book@1", params: { ...params, id: "other" }, key: "once" },
              ],
            };
            case "both": return { state: next, effects: [
              { effect: "shop/book@1", params, key: "once" },
              { effect: "shop/book@1", params, key: "once" },
            ] };
            case "unlike both": return { state: next, effects: [
              { effect: "shop/book@1", params, key: "once" },
              { effect: "shop/book@1", params: { ...params, id: "other" }, key: "once" },
            ] };
            case "soon": return {
              state: next,
              effects: [{ effect: "shop/book@1", params, deadlineMs: 5000 }],
            };
            case "two": return { state: next, effects: [
              { effect: "shop/book@1", params: { connection: "shop", id: id + "-1" } },
              { effect: "shop/book@1", params: { connection: "shop", id: id + "-2" } },
            ] };
            case "look soon": return {
              state: next,
              effects: [{ effect: "shop/look@1", params, deadlineMs: 5000 }],
            };
            case "look elsewhere": return {
              state: next,
              effects: [{ effect: "shop/look@1", params: { ...params, connection: "depot" } }],
            };
            case "weigh": return {
              state: next,
              effects: [{ effect: "shop/weigh@1", params: { ...params, tokens: 100 } }],
            };
            case "look": return { state: next, effects: [{ effect: "shop/look@1", params }] };
            case "wait, then book":
            case "wait": return { state: next, effects: [
              { effect: "sys/timer.set@1", params: { deliver_at_ns: deadline.after(ctx, 60000) } },
            ] };
            case "blob": return { state: next, effects: [
              { effect: "sys/blob.put@1", params: { bytes: new Uint8Array([1, 2, 3]) } },
            ] };
            case "big blob": return { state: next, effects: [
              { effect: "sys/blob.put@1", params: { bytes: new Uint8Array(9000).fill(7) } },
            ] };
            case "fifty megabytes": return { state: { ...next, log: ["x".repeat(50 * 2 ** 20)] } };
            case "throw": throw new Error("as told");
            case "loop": for (;;) {}
            case "end": return { state: null };
            case "chance": return {
              state: { ...next, log: log(String(Math.random()) + Date.now()) },
            };
            default: return { state: next };
          }
        },
      }),
    },
  });`;
