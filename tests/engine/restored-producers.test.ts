import type { Store } from "@holdfast/core";
import { Sandbox } from "@holdfast/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStores } from "./open-stores.ts";
import { ScriptedWorld } from "./scripted-world.ts";
import { WorkflowInTest } from "./workflow-in-test.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.open({ threadsMax: 2 });
});
afterAll(() => sandbox?.close());

const minute = 60_000;

/** Looks from where it had got to, two orders at a time, and books each. */
const source = `
  import { workflow } from "@holdfast/sdk";
  export default workflow({
    name: "orders",
    connections: { shop: { connector: "http", account: "shop" } },
    topics: { orders: {} },
    producers: {
      poll: {
        publishes: ["orders"],
        schedule: { interval: "5m" },
        handler: async (ctx, state) => {
          const from = state?.from ?? 0;
          const page = await ctx.shop.listOrders({ from });
          for (const id of page) {
            await ctx.publish("orders", { messageId: "o" + id, payload: { id } });
          }
          return { from: from + page.length };
        },
      },
    },
    consumers: {
      book: {
        subscribe: ["orders"],
        prepare: async (ctx) => {
          const [event] = await ctx.peek("orders", { limit: 1 });
          if (!event) return { reservations: [], data: {} };
          const reservations = [{ topic: "orders", ids: [event.messageId] }];
          return { reservations, data: event.payload, ui: { title: event.messageId } };
        },
        mutate: async (ctx, prepared) => { await ctx.shop.bookOrder(prepared.data); },
      },
    },
  });`;

/** A backup of before its producer has run for the first time. */
function asRestored(store: Store): Store {
  const names = { storeIncarnation: "store-2", restoredFrom: "store" };
  return new Proxy(store, {
    get: (target, name) => {
      if (Object.hasOwn(names, name)) return names[name as keyof typeof names];
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

describe.each(Object.entries(openStores))("a producer that pages, on %s", (_store, open) => {
  test("[R160] sends nothing twice after a restore, however many pages it is behind", async () => {
    const clock = { now: Date.UTC(2030, 0, 1, 8, 0) };
    const orders = [1, 2, 3, 4, 5];
    // In the time that is forgotten all of them were booked.
    const booked = [...orders];
    const world = new ScriptedWorld({
      shop: {
        listOrders: {
          kind: "read:list",
          answer: ({ from }) => orders.slice(Number(from), Number(from) + 2),
        },
        bookOrder: {
          kind: "mutation",
          answer: ({ id }) => {
            booked.push(Number(id));
            return { id };
          },
        },
      },
    });
    const store = await open(() => clock.now);
    const it = await WorkflowInTest.create({ store, sandbox, world, clock }, source);
    await it.command("pause_workflow", {});
    await it.live();
    it.way = asRestored;
    await it.command("resume_workflow", {});
    await it.live();
    const openQuestion = async (kind: string) =>
      (await it.rows("attentions")).find((row) => row.kind === kind && row.closedAt === null);
    const older = await openQuestion("ledger_may_be_older_than_world");
    await it.command("continue_restored", { attentionId: older?.attentionId });
    await it.live();
    const skipped: string[] = [];
    for (let turn = 0; turn < 20; turn++) {
      const asked = await openQuestion("may_have_happened");
      if (asked !== undefined) {
        const mutationId = asked.subject ?? "";
        skipped.push(mutationId);
        await it.command("resolve_mutation", { mutationId, answer: { says: "skip" } });
      }
      it.now += 5 * minute;
      await it.live();
    }
    expect(skipped).toHaveLength(5);
    expect(booked).toEqual(orders);
    expect(await it.questions()).toEqual([]);
    orders.push(6);
    it.now += 5 * minute;
    await it.live();
    expect(booked).toEqual([1, 2, 3, 4, 5, 6]);
    await it.expectSound();
  });
});
