import { encodeCanonical, everyBrake, type Store } from "@holdfast/core";
import { findQuestion, whyOf } from "@holdfast/host";
import { describe, expect, test } from "vitest";
import { bookGrants, openRun } from "./granted-workflow.ts";
import { openStores } from "./open-stores.ts";
import { OrderShop, sandboxOfFile } from "./order-shop.ts";
import { orderSource } from "./order-workflow.ts";
import { Fails } from "./scripted-world.ts";
import type { WorkflowInTest } from "./workflow-in-test.ts";

const sandbox = sandboxOfFile();
const operation = "shop.weighOrder";
/** As many commands are looked at before a call. */
const inboxLookMax = 100;
const all = { operation: "*", reason: "too dear" };

/** Pays for an order, looks it up, and has it consumed. */
const weighing = (weigh: string) =>
  orderSource(`
  prepare: async (ctx) => {
    const [event] = await ctx.peek("order.received", { limit: 1 });
    if (!event) return { reservations: [], data: {} };
    const { messageId: id } = event;
    ${weigh}
    await ctx.shop.getOrder({ id });
    return { reservations: [{ topic: "order.received", ids: [id] }], data: {} };
  },`);
const once = "await ctx.shop.weighOrder({ id });";
const often = "for (let no = 0; no < 20; no++) await ctx.shop.weighOrder({ id, no });";
const job = `
  import { workflow } from "@holdfast/sdk";
  export default workflow({
    name: "orders",
    connections: { shop: { connector: "http", account: "shop" } },
    topics: { done: { observed: true } },
    jobs: { weigh: { manual: true, publishes: ["done"], handler: async (ctx) => {
      await ctx.withItem("a", "Order a", async (ctx) => {
        if (ctx.item.isDone) return;
        await ctx.shop.weighOrder({ id: "a" });
        await ctx.publish("done", { messageId: "a" });
      });
    } } },
  });`;

const held = { status: "paused:approval", reason: "brake" };

/** Turns the brake on all sending, and tells no workflow. */
function turning({ store, now }: WorkflowInTest) {
  return (kind: "set_brake" | "release_brake") => {
    const isOn = kind === "set_brake";
    const reason = "all is wrong";
    const body = encodeCanonical({ operation: everyBrake, ...(isOn ? { reason } : {}) });
    const command = { commandId: kind, actor: "ada", kind, body, at: now };
    return store.turnStoreBrake({ isOn, reason, key: kind, command });
  };
}

describe.each(Object.entries(openStores))("a brake and metered calls, on %s", (_, store) => {
  async function begin(source: string) {
    const shop = new OrderShop();
    shop.orders = [{ id: "a", sum: 1 }];
    const bills: unknown[] = [];
    shop.weigh = (params) => ({ bill: bills.push(params) });
    const it = await shop.open(sandbox(), { source, store });
    /** Something comes in while the first call is under way. */
    const during = (come: () => Promise<unknown>) => {
      const { weigh } = shop;
      shop.weigh = async (params) => {
        shop.weigh = weigh;
        await come();
        return weigh(params);
      };
    };
    return { shop, it, bills, during };
  }

  async function asked(it: WorkflowInTest) {
    const rows = await it.rows("attentions");
    return rows.filter(({ note }) => note.startsWith("brake: "));
  }

  const isConsumed = async (it: WorkflowInTest) =>
    expect(await it.statuses("order.received")).toEqual({ a: "consumed" });

  test.each([all.operation, operation])(
    "[R150, C28] on %s: none is made, a person is asked, and reads go on",
    async (on) => {
      const { shop, it, bills } = await begin(weighing(`await ctx.shop.getOrder({ id }); ${once}`));
      await it.command("set_brake", { operation: on, reason: "too dear" });
      await it.live();
      await it.live();
      expect(bills).toEqual([]);
      expect(shop.world.reads).toEqual(["shop.listOrders", "shop.getOrder"]);
      const { runId } = await it.openRun();
      expect(await openRun(it)).toMatchObject(held);
      const why = await whyOf(it.store, it.workflow, runId, it.now);
      const cause = { kind: "brake_on", operation: on, metered: operation, mutationId: null };
      expect(why).toMatchObject({ kind: "explained", why: { because: [{ cause }] } });
      const [question, ...more] = await asked(it);
      expect([more, question?.closedAt, question?.answers]).toEqual([[], null, ["stop"]]);
      expect(question?.note).toContain(`${operation} is held by the brake on`);
      const shown = await findQuestion(it.store, it.workflow, question?.attentionId ?? "");
      expect(shown?.heldBy).toMatchObject({ operation: on, setBy: "ada", calls: 1 });
      expect(await it.ask("resume_run", { runId })).toBe("brake_is_on");
      expect(await it.ask("release_brake", { operation: on })).toBe("done");
      expect(bills).toEqual([{ id: "a" }]);
      await isConsumed(it);
      expect((await it.rows("runs")).find((run) => run.runId === runId)?.status).toBe("committed");
      expect(await it.questions()).toEqual([]);
      await it.expectSound();
    },
  );

  test("[R150] on another operation holds none", async () => {
    const { it, bills } = await begin(weighing(once));
    await it.command("set_brake", { operation: "shop.bookOrder", reason: "closed" });
    await it.live();
    expect(bills).toHaveLength(1);
    await isConsumed(it);
  });

  test("[R150, C28] that comes in the midst of a phase holds all that are left", async () => {
    const { it, bills, during } = await begin(weighing(often));
    during(() => it.command("set_brake", all));
    await it.live();
    expect(bills).toHaveLength(1);
    expect(await openRun(it)).toMatchObject(held);
    expect(await it.ask("release_brake", { operation: "*" })).toBe("done");
    // The first was paid for, and is not again.
    expect(bills).toHaveLength(20);
    await isConsumed(it);
    await it.expectSound();
  });

  test("[R86, R88] grants that are taken back in the midst of a phase count at once", async () => {
    const { it, bills, during } = await begin(weighing(often));
    during(() => it.command("set_envelope", { grants: bookGrants({ say: "allow" }) }));
    await it.live();
    expect(bills).toHaveLength(1);
    expect(await openRun(it)).toMatchObject({ reason: "permission" });
    await it.expectSound();
  });

  test("[R150] on all sending that the workflow was not told of holds them too", async () => {
    const { it, bills, during } = await begin(weighing(often));
    const turn = turning(it);
    during(() => turn("set_brake"));
    await it.live();
    expect(bills).toHaveLength(1);
    expect(await openRun(it)).toMatchObject(held);
    await turn("release_brake");
    await it.store.tellOfStoreBrake(it.workflow);
    await it.live();
    expect(bills).toHaveLength(20);
    await isConsumed(it);
    await it.expectSound();
  });

  test("[R150] behind more commands than are looked at it holds them all the same", async () => {
    const { it, bills, during } = await begin(weighing(often));
    during(async () => {
      for (let no = 0; no <= inboxLookMax; no++) {
        const event = { topic: "order.received", messageId: `z${no}`, title: null };
        await it.command("publish_event", { ...event, payload: encodeCanonical({}) });
      }
      await turning(it)("set_brake");
    });
    await it.live();
    expect(bills).toHaveLength(1);
    it.now = (await it.openRun()).dueAt ?? it.now;
    await it.live();
    expect(bills).toHaveLength(1);
    expect(await openRun(it)).toMatchObject(held);
  });

  test("[C28] what is being paid for when one is held is kept", async () => {
    const first = "const first = ctx.shop.weighOrder({ id, no: 1 });";
    const then = "await ctx.shop.listOrders({}); await ctx.shop.weighOrder({ id, no: 2 });";
    const { shop, it, bills } = await begin(weighing(`${first} ${then} await first;`));
    const { list, weigh } = shop;
    const isBegun = Promise.withResolvers<void>();
    const isHeld = Promise.withResolvers<void>();
    let lists = 0;
    shop.list = async () => {
      lists += 1;
      if (lists !== 2) return list();
      await isBegun.promise;
      await it.command("set_brake", all);
      return list();
    };
    shop.weigh = async (params) => {
      isBegun.resolve();
      await isHeld.promise;
      return weigh(params);
    };
    it.way = (inner) => seeingBrakes(inner, () => setImmediate(isHeld.resolve));
    await it.live();
    expect(bills).toEqual([{ id: "a", no: 1 }]);
    expect(await openRun(it)).toMatchObject(held);
    expect(await it.ask("release_brake", { operation: "*" })).toBe("done");
    expect(bills).toEqual([
      { id: "a", no: 1 },
      { id: "a", no: 2 },
    ]);
    await isConsumed(it);
  });

  test("[C28] does not hold one that was answered before: nothing is sent", async () => {
    const { shop, it, bills } = await begin(weighing(once));
    const { get } = shop;
    shop.get = () => {
      shop.get = get;
      throw new Fails("transient", "not now");
    };
    await it.live();
    await it.command("set_brake", all);
    it.now = (await it.openRun()).dueAt ?? it.now;
    await it.live();
    expect(bills).toHaveLength(1);
    await isConsumed(it);
  });

  test("[R150, L7] holds a job within its item, which then goes on", async () => {
    const { it, bills } = await begin(job);
    await it.command("set_brake", all);
    await it.ask("run_now", {});
    expect([bills, await asked(it)]).toEqual([[], [expect.objectContaining({ closedAt: null })]]);
    expect(await openRun(it)).toMatchObject(held);
    expect(await it.ask("release_brake", { operation: "*" })).toBe("done");
    expect(bills).toHaveLength(1);
    expect(Object.keys(await it.payloads("done"))).toEqual(["a"]);
    await it.expectSound();
  });

  test("[R150] a run that is held can be given up", async () => {
    const { it, bills } = await begin(weighing(once));
    await it.command("set_brake", all);
    await it.live();
    const { runId } = await it.openRun();
    expect(await it.ask("stop_run", { runId })).toBe("done");
    expect((await asked(it)).map(({ closedAt }) => closedAt === null)).toEqual([false]);
    expect(bills).toEqual([]);
    await it.expectSound();
  });
});

/** Told when somebody finds a brake in the inbox. */
function seeingBrakes(inner: Store, onBrake: () => void): Store {
  return new Proxy(inner, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== "function") return value;
      if (key !== "readInbox") return value.bind(target);
      return async (...given: Parameters<Store["readInbox"]>) => {
        const entries = await inner.readInbox(...given);
        if (entries.some(({ kind }) => kind === "set_brake")) onBrake();
        return entries;
      };
    },
  });
}
