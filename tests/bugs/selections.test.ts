import { policyDefaults } from "@holdfast/core";
import { validate } from "@holdfast/sandbox";
import { describe, expect, test } from "vitest";
import { openStores } from "../engine/open-stores.ts";
import { OrderShop, sandboxOfFile } from "../engine/order-shop.ts";
import { bookOneByOne, orderSource } from "../engine/order-workflow.ts";
import { WorkflowInTest } from "../engine/workflow-in-test.ts";

const sandbox = sandboxOfFile();

async function open(consumer?: string) {
  const shop = new OrderShop();
  const it = await shop.open(sandbox(), { source: orderSource(consumer) });
  return { it, shop };
}

/** Two workflows of one store, with the same topics and the same message ids in them. */
async function openTwo(consumers: { readonly east: string; readonly west: string }) {
  const clock = { now: 1_700_000_000_000 };
  const store = await openStores.SQLite(() => clock.now);
  const [east, west] = [new OrderShop(), new OrderShop()];
  const create = (workflow: "east" | "west", shop: OrderShop) => {
    const parts = { store, sandbox: sandbox(), world: shop.world, clock, workflow };
    return WorkflowInTest.create(parts, orderSource(consumers[workflow]));
  };
  return { east, west, its: [await create("east", east), await create("west", west)] as const };
}

const reserving = (ids: string) => `
  prepare: async () => ({ reservations: [{ topic: "order.received", ids: ${ids} }], data: {} }),`;

describe("[B9] a reservation is strict, and knows its workflow", () => {
  test("[S9] two workflows with the same topics and ids work off their own events", async () => {
    const { east, west, its } = await openTwo({ east: bookOneByOne, west: bookOneByOne });
    const [inEast, inWest] = its;
    east.orders = east.orders.slice(0, 2);
    await inEast.live();
    expect(await inEast.statuses("order.received")).toEqual({ a: "consumed", b: "consumed" });
    expect(await inWest.statuses("order.received")).toEqual({});
    await inWest.live();
    expect([east.booked, west.booked]).toEqual([
      ["a", "b"],
      ["a", "b", "c"],
    ]);
    await inWest.expectSound();
  });

  test("an event of another workflow cannot be reserved", async () => {
    const { east, its } = await openTwo({
      east: reserving("[]"),
      west: reserving('["only-east"]'),
    });
    const [inEast, inWest] = its;
    east.orders = [{ id: "only-east", sum: 1 }];
    await inEast.live();
    expect(await inEast.statuses("order.received")).toEqual({ "only-east": "pending" });
    await inWest.live();
    const { status, failure } = await inWest.openRun();
    expect([status, failure?.message]).toEqual([
      "failed:logic",
      expect.stringContaining("only-east"),
    ]);
    expect(Object.values(await inWest.statuses("order.received"))).toEqual(
      Array(3).fill("pending"),
    );
  });

  test.each([
    ["an id that is not there", '["a", "nobody"]'],
    ["the same id twice", '["a", "a"]'],
  ])("%s fails the whole prepare, and reserves nothing", async (_, ids) => {
    const { it } = await open(reserving(ids));
    await it.live();
    expect(await it.openRun()).toMatchObject({ status: "failed:logic", phase: "preparing" });
    expect(Object.values(await it.statuses("order.received"))).toEqual(Array(3).fill("pending"));
    expect(await it.rows("reservations")).toEqual([]);
  });

  test.each(["peek", "getByIds"])("%s of a topic that is not subscribed fails", async (method) => {
    const { it } = await open(
      bookOneByOne.replace('ctx.peek("order.received"', `ctx["${method}"]("order." + "booked"`),
    );
    await it.live();
    expect((await it.openRun()).failure?.message).toContain("SCRIPT_TOPIC");
  });

  test("a second consumer of a topic is refused before it is deployed", async () => {
    const consumer = `{ subscribe: ["order.received"], ${bookOneByOne} }`;
    const text = orderSource().replace("consumers: {", `consumers: { also: ${consumer},`);
    const source = { entry: "orders.ts", files: { "orders.ts": text } };
    const { problems } = await validate(source, (script) => sandbox().inspect(script));
    const errors = problems.filter(({ severity }) => severity === "error");
    expect(errors.map(({ cause }) => cause).join()).toContain("order.received");
    expect(errors).not.toEqual([]);
  });
});

describe("[B10] a person's pause is no failure of the script", () => {
  test("in the midst of a run: it ends in order, and nothing more begins", async () => {
    const { it, shop } = await open();
    shop.book = async ({ id }) => {
      if (id === "a") await it.command("pause_workflow", {});
      return { number: `B-${String(id)}` };
    };
    await it.live();
    expect(shop.booked).toEqual(["a"]);
    expect(await it.statuses("order.received")).toEqual({
      a: "consumed",
      b: "pending",
      c: "pending",
    });
    expect((await it.rows("runs")).map(({ status }) => status)).toEqual(["committed", "committed"]);
    it.now += 86_400_000;
    expect(await it.live()).toBeNull();
    expect(await it.questions()).toEqual([]);
    expect(await it.ask("resume_workflow", {})).toBe("done");
    expect(shop.booked).toEqual(["a", "b", "c"]);
    await it.expectSound();
  });

  test("while a run waits for a person: it goes on as itself when both are resumed", async () => {
    const { it, shop } = await open();
    shop.world.denied.add("shop.bookOrder");
    await it.live();
    const { runId } = await it.openRun();
    await it.ask("pause_workflow", {});
    shop.world.denied.clear();
    expect(await it.ask("resume_run", { runId })).toBe("workflow_not_active");
    expect(shop.booked).toEqual([]);
    await it.ask("resume_workflow", {});
    expect(await it.ask("resume_run", { runId })).toBe("done");
    expect(shop.booked).toEqual(["a", "b", "c"]);
    const runs = await it.rows("runs");
    expect(runs.filter(({ retryOf }) => retryOf !== null)).toEqual([]);
    expect(runs.find((run) => run.runId === runId)?.status).toBe("committed");
    await it.expectSound();
  });
});

describe("[B11] a run that reserves nothing is a whole run", () => {
  const wakeful = `
    publishes: ["order.booked"],
    prepare: async (ctx, state) => {
      const events = await ctx.peek("order.received");
      const data = { first: state === undefined, count: state?.count ?? 0 };
      const ids = events.length < 4 ? [] : events.map((event) => event.messageId);
      const wakeAt = data.count < 2 ? Date.now() + 60_000 : undefined;
      return { reservations: [{ topic: "order.received", ids }], data, wakeAt };
    },
    next: async (ctx, prepared, result) => {
      const { first, count } = prepared.data;
      const messageId = "run-" + count;
      await ctx.publish("order.booked", { messageId, first, status: result.status });
      return { count: count + 1 };
    },`;

  test("[S4] next runs, its state is kept, and the first run begins without one", async () => {
    const { it } = await open(wakeful);
    await it.live();
    expect(await it.payloads("order.booked")).toEqual({ "run-0": { first: true, status: "none" } });
    expect(await it.stateOf("book")).toEqual({ count: 1 });
    await it.expectSound();
  });

  test("a wake time alone makes no state", async () => {
    const { it } = await open(`
      prepare: async (ctx, state) => {
        if (state !== undefined) throw new Error("there is a state");
        return { reservations: [], data: {}, wakeAt: Date.now() + 60_000 };
      },`);
    await it.live();
    it.now += 60_000;
    await it.live();
    expect(await it.stateOf("book")).toBeUndefined();
    expect(await it.questions()).toEqual([]);
  });

  test("a wake time that is not asked for again is cleared", async () => {
    const { it } = await open(wakeful);
    const wakeAt = async () =>
      (await it.rows("handlers")).find(({ name }) => name === "book")?.wakeAt;
    await it.live();
    expect(await wakeAt()).toBe(it.now + 60_000);
    it.now += 60_000;
    await it.live();
    expect(await wakeAt()).toBe(it.now + 60_000);
    it.now += 60_000;
    await it.live();
    expect(await wakeAt()).toBeNull();
    expect(await it.stateOf("book")).toEqual({ count: 3 });
    it.now += policyDefaults.wakeDelayMsMax;
    await it.live();
    expect(await it.stateOf("book")).toEqual({ count: 3 });
    await it.expectSound();
  });
});
