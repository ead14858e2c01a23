import { type Change, countedForMs, keptResultBytesMax, type Store } from "@holdfast/core";
import { describe, expect, test } from "vitest";
import { bookGrants, openRun } from "./granted-workflow.ts";
import { openStores } from "./open-stores.ts";
import { OrderShop, sandboxOfFile } from "./order-shop.ts";
import { orderSource } from "./order-workflow.ts";
import { Fails, HostDies } from "./scripted-world.ts";
import type { WorkflowInTest } from "./workflow-in-test.ts";

const sandbox = sandboxOfFile();
const leaseMs = 60_000;
const everything = { say: "allow" };

/** Weighs an order, and only then looks it up; `then` comes after both. */
const weighing = (weigh: string, then = "") =>
  orderSource(`
  publishes: ["order.booked"],
  prepare: async (ctx) => {
    const [event] = await ctx.peek("order.received", { limit: 1 });
    if (!event) return { reservations: [], data: {} };
    const { messageId: id } = event;
    const weighed = ${weigh};
    const order = await ctx.shop.getOrder({ id });
    ${then}
    return { reservations: [{ topic: "order.received", ids: [id] }], data: { id, weighed } };
  },
  next: async (ctx, { data }) => {
    if (data.id) await ctx.publish("order.booked", { messageId: data.id, weighed: data.weighed });
  },`);

const call = "ctx.shop.weighOrder({ id, tokens: 100 })";
const once = `await ${call}`;
const failsInLogic = 'throw new Error("too heavy");';

/** Two items; in each a metered call, and then a read. */
const job = `
  import { workflow } from "@holdfast/sdk";
  export default workflow({
    name: "orders",
    connections: { shop: { connector: "http", account: "shop" } },
    topics: { done: { observed: true } },
    jobs: { weigh: { manual: true, publishes: ["done"], handler: async (ctx) => {
      const all = await ctx.shop.weighOrder({ id: "all" });
      for (const id of ["a", "b"]) {
        await ctx.withItem(id, "Order " + id, async (ctx) => {
          if (ctx.item.isDone) return;
          const one = await ctx.shop.weighOrder({ id: "one" });
          await ctx.shop.getOrder({ id });
          await ctx.publish("done", { messageId: id, weighed: [all.bill, one.bill] });
        });
      }
    } } },
  });`;

describe.each(Object.entries(openStores))("metered calls, on %s", (_, store) => {
  /** One order; each weighing is a bill, and says which. */
  async function begin(source: string, ...given: readonly object[]) {
    const shop = new OrderShop();
    shop.orders = [{ id: "a", sum: 1 }];
    const bills: unknown[] = [];
    shop.weigh = (params) => ({ bill: bills.push(params), used: 40 });
    const it = await shop.open(sandbox(), { source, store });
    if (given.length > 0) {
      const weigh = { operation: "shop.weighOrder" };
      const grants = bookGrants(everything, ...given.map((each) => ({ ...weigh, ...each })));
      await it.command("set_envelope", { grants });
    }
    const changes: Change[] = [];
    it.way = (inner) => watching(inner, changes);
    return { shop, it, bills, changes };
  }

  /** The read after the metered call does that once. */
  function stumbles(shop: OrderShop, how: () => never): void {
    const { get } = shop;
    shop.get = () => {
      shop.get = get;
      return how();
    };
  }

  const passing = (): never => {
    throw new Fails("transient", "not now");
  };

  async function again(it: WorkflowInTest): Promise<void> {
    it.now = (await it.openRun()).dueAt ?? it.now + leaseMs;
    await it.live();
  }

  async function weighed(it: WorkflowInTest) {
    return (await it.payloads("order.booked"))["a"] as { readonly weighed: unknown };
  }

  const counted = (it: WorkflowInTest) => {
    const of = { connection: "shop", operation: "weighOrder", after: 0, runId: null };
    return it.store.sumReads(it.workflow, of);
  };

  test("[C28] a run that is tried again after passing trouble is not billed again", async () => {
    const { shop, it, bills, changes } = await begin(weighing(once));
    stumbles(shop, passing);
    await it.live();
    const { runId } = await it.openRun();
    stumbles(shop, passing);
    await again(it);
    await again(it);
    expect(bills).toEqual([{ id: "a", tokens: 100 }]);
    expect(await weighed(it)).toMatchObject({ weighed: { bill: 1 } });
    const [trace] = await it.traces("book");
    const said = "shop.weighOrder: answered with what an earlier try was told";
    expect(JSON.stringify(trace)).toContain(said);
    // One commit keeps the answer; it goes with the change that ends the run, and only then.
    expect(changes.filter(({ kept = [] }) => kept.length > 0)).toHaveLength(1);
    const forgetting = changes.filter(({ forgetKept = [] }) => forgetKept.length > 0);
    expect(forgetting.map(({ forgetKept }) => forgetKept)).toEqual([[runId]]);
    await it.expectSound();
  });

  test("[C28] what was kept is gone when its chain is over", async () => {
    const { shop, it, bills, changes } = await begin(weighing(once));
    stumbles(shop, passing);
    await it.live();
    const [kept] = changes.flatMap((change) => change.kept ?? []);
    if (kept === undefined) throw new Error("nothing was kept");
    expect(await it.store.findKept(it.workflow, kept)).toMatchObject({ result: kept.result });
    expect(await it.ask("stop_run", { runId: kept.chain })).toBe("done");
    expect(await it.store.findKept(it.workflow, kept)).toBeNull();
    expect(bills).toHaveLength(1);
  });

  test("[C28] a host that dies after the answer is durable is not billed again", async () => {
    const { shop, it, bills } = await begin(weighing(once));
    stumbles(shop, () => {
      throw new HostDies();
    });
    await it.live();
    // What comes in between does not make it another run.
    await it.command("publish_event", {
      topic: "order.received",
      messageId: "z",
      title: null,
      payload: new Uint8Array([0xd9, 0xd9, 0xf7, 0xa0]),
    });
    await again(it);
    await it.live();
    expect(bills.filter((bill) => (bill as { id: string }).id === "a")).toHaveLength(1);
    expect(await weighed(it)).toMatchObject({ weighed: { bill: 1 } });
    await it.expectSound();
  });

  test("[C28] calls that are alike are two, and each keeps its own answer", async () => {
    const { shop, it, bills } = await begin(weighing(`[${once}, ${once}]`));
    stumbles(shop, passing);
    await it.live();
    await again(it);
    expect(bills).toHaveLength(2);
    expect(await weighed(it)).toMatchObject({ weighed: [{ bill: 1 }, { bill: 2 }] });
  });

  test("[C28] a call under way when its phase fails is waited for and kept", async () => {
    const both = `await Promise.all([${call}, ctx.shop.getOrder({ id })])`;
    const { shop, it, bills } = await begin(weighing(`(${both})[0]`));
    const failed = Promise.withResolvers<void>();
    const { weigh, get } = shop;
    shop.weigh = (params) => failed.promise.then(() => weigh(params));
    shop.get = () => {
      shop.get = get;
      setImmediate(failed.resolve);
      return passing();
    };
    await it.live();
    expect(bills).toHaveLength(1);
    await again(it);
    expect(bills).toHaveLength(1);
    expect(await weighed(it)).toMatchObject({ weighed: { bill: 1 } });
  });

  test("[C28] what was kept for longer than limits look back is no answer any more", async () => {
    const { shop, it, bills } = await begin(weighing(once));
    stumbles(shop, passing);
    await it.live();
    it.now += countedForMs + 1;
    await it.live();
    expect(bills).toHaveLength(2);
  });

  test("[C28] a call with other parameters is made and billed", async () => {
    const sum = "await ctx.shop.weighOrder({ id, sum: (await ctx.shop.listOrders({}))[0].sum })";
    const { shop, it, bills } = await begin(weighing(sum));
    stumbles(shop, passing);
    await it.live();
    shop.orders = [{ id: "a", sum: 2 }];
    await again(it);
    expect(bills).toEqual([
      { id: "a", sum: 1 },
      { id: "a", sum: 2 },
    ]);
  });

  test("[C28] what failed is not kept: it is asked for again", async () => {
    const { shop, it, bills } = await begin(weighing(once));
    const { weigh } = shop;
    shop.weigh = () => {
      shop.weigh = weigh;
      throw new Fails("transient", "overloaded");
    };
    await it.live();
    await again(it);
    expect(bills).toHaveLength(1);
    expect(await weighed(it)).toMatchObject({ weighed: { bill: 1 } });
  });

  test("[C28] a person's retry of what failed in logic begins with nothing kept", async () => {
    const { it, bills } = await begin(weighing(once, `if (weighed.bill < 2) ${failsInLogic}`));
    await it.live();
    const { runId, status } = await it.openRun();
    expect(status).toBe("failed:logic");
    expect(await it.ask("retry_run", { runId })).toBe("done");
    expect(bills).toHaveLength(2);
    expect(await weighed(it)).toMatchObject({ weighed: { bill: 2 } });
  });

  test("[C28] a mended script is answered with what the broken one paid for", async () => {
    const { it, bills } = await begin(weighing(once, failsInLogic));
    await it.live();
    await it.deploy(weighing(once, "/* mended */"));
    await it.live();
    expect(bills).toHaveLength(1);
    expect(await weighed(it)).toMatchObject({ weighed: { bill: 1 } });
  });

  test("[C28, R89] what is answered again counts against no limit", async () => {
    const limits = [
      { per: "run", count: 1 },
      { per: "day", amount: 100, of: "tokens" },
    ];
    const more = { say: "allow", amount: "/tokens", spent: "/used", limits };
    const { shop, it, bills, changes } = await begin(weighing(once), more);
    stumbles(shop, passing);
    await it.live();
    await again(it);
    expect(await it.statuses("order.received")).toEqual({ a: "consumed" });
    expect(bills).toHaveLength(1);
    expect(await counted(it)).toMatchObject({ count: 1, amount: 400_000 });
    // It is counted first; what it came to goes with the answer.
    expect(changes.filter((change) => change.counted !== undefined)).toHaveLength(2);
  });

  test("[C28, R89] limited calls that are made at once are all counted and kept", async () => {
    const three = `await Promise.all([${call}, ${call}, ${call}])`;
    const more = { say: "allow", amount: "/tokens", spent: "/used" };
    const limits = [{ per: "day", amount: 1_000 }];
    const { it, bills } = await begin(weighing(three), { ...more, limits });
    await it.live();
    expect(await it.statuses("order.received")).toEqual({ a: "consumed" });
    expect(bills).toHaveLength(3);
    expect(await counted(it)).toMatchObject({ count: 3, amount: 1_200_000 });
    await it.expectSound();
  });

  test("[C28, R88] what is denied meanwhile stays denied, kept or not", async () => {
    const { shop, it, bills } = await begin(weighing(once));
    stumbles(shop, passing);
    await it.live();
    const denied = { operation: "shop.weighOrder", say: "deny" };
    await it.command("set_envelope", { grants: bookGrants(everything, denied) });
    await again(it);
    expect(await openRun(it)).toMatchObject({ reason: "permission" });
    expect(bills).toHaveLength(1);
  });

  test("[C28] an answer beyond the limit is not kept, and the trace says so", async () => {
    const { shop, it, bills } = await begin(weighing(`(${once}).used`));
    const text = "x".repeat(keptResultBytesMax);
    shop.weigh = (params) => ({ used: bills.push(params), text });
    stumbles(shop, passing);
    await it.live();
    await again(it);
    expect(bills).toHaveLength(2);
    const [trace] = await it.traces("book");
    expect(JSON.stringify(trace)).toContain(`more than the ${keptResultBytesMax} that are kept`);
  });

  test("[C28] an answer whose keeping is in doubt is looked up before it is shown", async () => {
    const { shop, it, bills } = await begin(weighing(once));
    let doubts = 1;
    it.way = (inner) => doubting(inner, () => doubts-- > 0);
    await it.live();
    await it.live();
    expect(doubts).toBeLessThan(1);
    // The script that was not shown it has not gone on.
    expect(shop.world.reads.filter((name) => name === "shop.getOrder")).toHaveLength(1);
    expect(bills).toHaveLength(1);
    expect(await weighed(it)).toMatchObject({ weighed: { bill: 1 } });
    await it.expectSound();
  });

  test("[C28, L7] a job that is replayed pays for each call of each item once", async () => {
    const { shop, it, bills } = await begin(job);
    stumbles(shop, passing);
    await it.ask("run_now", {});
    const { get } = shop;
    // In the second item, when the first is done.
    shop.get = (params) => {
      if (params["id"] !== "b") return get(params);
      shop.get = get;
      throw new HostDies();
    };
    await again(it);
    it.now += leaseMs;
    await it.live();
    expect(bills).toEqual([{ id: "all" }, { id: "one" }, { id: "one" }]);
    expect(await it.payloads("done")).toEqual({ a: { weighed: [1, 2] }, b: { weighed: [1, 3] } });
    await it.expectSound();
  });
});

function withCommit(inner: Store, commit: Store["commit"]): Store {
  return new Proxy(inner, {
    get: (target, key) => {
      if (key === "commit") return commit;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

function watching(inner: Store, changes: Change[]): Store {
  return withCommit(inner, (given) => {
    changes.push(...given);
    return inner.commit(given);
  });
}

/** What is kept lands, and nobody is told. */
function doubting(inner: Store, isLost: () => boolean): Store {
  return withCommit(inner, async (given) => {
    const answers = await inner.commit(given);
    const isKept = given.some(({ kept = [] }) => kept.length > 0);
    if (!isKept || !isLost()) return answers;
    return given.map(() => ({ kind: "unknown", cause: new Error("the answer is lost") }));
  });
}
