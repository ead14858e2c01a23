import { scriptOf, somePhase } from "@holdfast/sandbox/testing";

/** A small consumer, as most are; `mark` makes scripts differ. */
export function smallScript(mark: number): string {
  return scriptOf(`Keep.workflow({
    name: "orders-${mark}",
    topics: { orders: {} },
    consumers: {
      book: Keep.consumer({
        subscribe: ["orders"],
        prepare: async (ctx, state) => ({
          reservations: [{ topic: "orders", ids: ["m-${mark}"] }],
          data: { sum: (state?.sum ?? 0) + ${mark} },
          ui: { title: "Book order ${mark}" },
        }),
        mutate: async (ctx, prepared) => { await ctx.shop.bookOrder(prepared.data); },
      }),
    },
  })`);
}

/** As long as this many bytes, most of it functions that are never called. */
export function longScript(bytes: number): string {
  const line = (n: number) => `const helper${n} = (a, b) => a.map((x) => x * ${n} + b.length);\n`;
  let helpers = "";
  for (let n = 0; helpers.length < bytes; n++) helpers += line(n);
  return `"use strict"; ${helpers} ({ consumers: { book: { prepare: async () => null } } })`;
}

const handler = { ...somePhase, handler: "book" };
export const preparePhase = { ...handler, phase: "prepare" } as const;
export const mutatePhase = { ...handler, phase: "mutate" } as const;
