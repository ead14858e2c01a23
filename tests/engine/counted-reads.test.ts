import { describe, expect, test } from "vitest";
import { bookGrants, openRun } from "./granted-workflow.ts";
import { openStores } from "./open-stores.ts";
import { OrderShop, sandboxOfFile } from "./order-shop.ts";
import { orderSource } from "./order-workflow.ts";

const sandbox = sandboxOfFile();
const [dayMs, fiveMinutesMs] = [86_400_000, 300_000];
const everything = { say: "allow" };

/** Weighs every order that comes, all at once, and books none. */
const weighAll = `
  prepare: async (ctx) => {
    const events = await ctx.peek("order.received", { limit: 10 });
    const weighed = await Promise.all(
      events.map((event) => ctx.shop.weighOrder({ id: event.messageId, tokens: 100 })));
    const ids = events.map((event) => event.messageId);
    return { reservations: ids.length ? [{ topic: "order.received", ids }] : [], data: weighed };
  },`;

describe.each(Object.entries(openStores))("limits on reads, on %s", (_, store) => {
  async function begin(source: string, ...given: readonly object[]) {
    const shop = new OrderShop();
    const it = await shop.open(sandbox(), { source, store });
    await it.command("set_envelope", { grants: bookGrants(...given) });
    const weighings = () => shop.world.reads.filter((name) => name === "shop.weighOrder").length;
    return { shop, it, weighings };
  }

  test("[R89, S52] a limited read is counted for good, and held until there is room", async () => {
    const limits = [{ per: "day", count: 2 }];
    const more = { operation: "shop.weighOrder", say: "allow", limits };
    const { shop, it, weighings } = await begin(orderSource(weighAll), everything, more);
    const firstAt = it.now;
    shop.orders = [{ id: "a", sum: 1 }];
    await it.live();
    expect(weighings()).toBe(1);
    shop.orders.push({ id: "b", sum: 1 });
    it.now += fiveMinutesMs;
    await it.live();
    expect(weighings()).toBe(2);
    shop.orders.push({ id: "c", sum: 1 });
    it.now += fiveMinutesMs;
    await it.live();
    expect(weighings()).toBe(2);
    const waits = await openRun(it);
    expect(waits).toMatchObject({ reason: "budget", phase: "preparing", dueAt: firstAt + dayMs });
    expect(waits.message).toContain("shop.weighOrder: 2 of 2 per day are used up");
    it.now = firstAt + dayMs;
    await it.live();
    expect(weighings()).toBe(3);
    expect(await it.questions()).toEqual([]);
    const of = { connection: "shop", operation: "listOrders", after: 0, runId: null };
    // What nothing limits is not counted, and costs no commit.
    expect(await it.store.sumReads(it.workflow, of)).toMatchObject({ count: 0 });
    await it.expectSound();
  });

  test("[R89] reads that are asked for at once pass no limit of their run together", async () => {
    const limits = [{ per: "run", count: 2 }];
    const more = { operation: "shop.weighOrder", say: "allow", limits };
    const { it, weighings } = await begin(orderSource(weighAll), everything, more);
    await it.live();
    expect(weighings()).toBeLessThanOrEqual(2);
    const { reason, message } = await openRun(it);
    expect([reason, message]).toEqual([
      "permission",
      expect.stringContaining("2 of 2 per run are used up"),
    ]);
  });

  test("[R89] a metered call reserves what it may cost, and settles what it did", async () => {
    const metered = { operation: "shop.weighOrder", say: "allow", amount: "/tokens" };
    const limits = [{ per: "day", amount: 250, of: "tokens" }];
    const more = { ...metered, spent: "/used", limits };
    const { shop, it, weighings } = await begin(orderSource(weighAll), everything, more);
    let used: unknown = 40;
    shop.weigh = () => ({ used });
    shop.orders = [{ id: "a", sum: 1 }];
    await it.live();
    const spent = async () => {
      const { count, amount } = await it.store.sumBudget({
        budget: "tokens",
        after: 0,
        except: null,
      });
      return [count, amount / 10_000];
    };
    expect(await spent()).toEqual([1, 40]);
    // An answer that says nothing countable leaves what was reserved.
    used = "much";
    shop.orders.push({ id: "b", sum: 1 });
    it.now += fiveMinutesMs;
    await it.live();
    expect(await spent()).toEqual([2, 140]);
    used = 10;
    shop.orders.push({ id: "c", sum: 1 });
    it.now += fiveMinutesMs;
    await it.live();
    expect(await spent()).toEqual([3, 150]);
    // Exactly what fits, fits.
    shop.orders.push({ id: "d", sum: 1 }, { id: "e", sum: 1 });
    used = 100;
    it.now += fiveMinutesMs;
    await it.live();
    expect([weighings(), await spent()]).toEqual([4, [4, 250]]);
    const { reason, message } = await openRun(it);
    expect([reason, message]).toEqual(["budget", expect.stringContaining("250 of 250 per day")]);
  });
});
