import { encodeCanonical } from "@holdfast/core";
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

const source = (prepare: string) => `
  import { workflow } from "@holdfast/sdk";
  export default workflow({
    name: "orders",
    connections: { shop: { connector: "http", account: "shop" } },
    topics: { orders: {}, returns: {} },
    producers: { hand: { manual: true, handler: async () => {} } },
    consumers: {
      book: { subscribe: ["orders", "returns"], prepare: async (ctx) => { ${prepare} } },
    },
  });`;

const tell = "await ctx.shop.tell({ trigger: ctx.trigger });";
const reserve = `
  const { event } = ctx.trigger;
  if (!event) return { reservations: [], data: {} };
  return { reservations: [{ topic: event.topic, ids: [event.messageId] }], data: {} };`;

describe.each(Object.entries(openStores))("[C2] ctx.trigger, on %s", (_store, open) => {
  let told: unknown[] = [];

  async function create(prepare: string): Promise<WorkflowInTest> {
    told = [];
    const clock = { now: 1_700_000_000_000 };
    const store = await open(() => clock.now);
    const answer = ({ trigger }: Readonly<Record<string, unknown>>) => {
      told.push(trigger);
      return null;
    };
    const world = new ScriptedWorld({ shop: { tell: { kind: "read:list", answer } } });
    return WorkflowInTest.create({ store, sandbox, world, clock }, source(prepare));
  }

  const publish = (it: WorkflowInTest, topic: string, messageId: string, payload: object) =>
    it.command("publish_event", {
      topic,
      messageId,
      payload: encodeCanonical(payload as Parameters<typeof encodeCanonical>[0]),
      title: `Order ${messageId}`,
    });

  const seen = (topic: string, messageId: string, payload: object) => {
    const title = `Order ${messageId}`;
    return { reason: "event", event: { topic, messageId, id: messageId, title, payload } };
  };

  test("has the oldest pending event of all subscribed topics, as peek shows it", async () => {
    const it = await create(tell + reserve);
    const large = { text: "x".repeat(2_000) };
    await publish(it, "returns", "r", large);
    await publish(it, "orders", "a", { n: 1 });
    await it.live();
    expect(told).toEqual([
      seen("returns", "r", large),
      seen("orders", "a", { n: 1 }),
      { reason: "event" },
    ]);
    expect(await it.statuses("orders")).toEqual({ a: "consumed" });
    const runs = await it.rows("runs");
    expect(runs.map(({ trigger }) => trigger).sort()).toEqual(["event", "orders/a", "returns/r"]);
    await it.expectSound();
  });

  test("says that a run was woken at its own wish, and then names no event", async () => {
    const it = await create(
      `${tell}
       const wakeAt = new Date(Date.now() + 60000).toISOString();
       return { reservations: [], data: {}, wakeAt };`,
    );
    await publish(it, "orders", "a", {});
    await it.live();
    it.now += 60_000;
    await it.live();
    expect(told).toEqual([seen("orders", "a", {}), { reason: "wake" }]);
    await it.expectSound();
  });

  test("says that a run is in place of one that failed, with the event to look at", async () => {
    const it = await create(`${tell} throw new Error("not yet");`);
    await publish(it, "orders", "a", {});
    await it.live();
    await it.deploy(source(tell + reserve));
    await it.live();
    expect(told.map((trigger) => (trigger as { reason: string }).reason)).toEqual([
      "event",
      "retry",
      "event",
    ]);
    expect(told[1]).toEqual({ ...seen("orders", "a", {}), reason: "retry" });
    expect(await it.statuses("orders")).toEqual({ a: "consumed" });
    await it.expectSound();
  });

  test("of the result is one of the reserved events, the first unless it is said", async () => {
    const both = (more: string) =>
      `const events = await ctx.peek("orders");
       if (events.length === 0) return { reservations: [], data: {} };
       const ids = events.map((event) => event.messageId);
       return { reservations: [{ topic: "orders", ids }], data: {}, ${more} };`;
    const first = await create(both(""));
    for (const id of ["a", "b"]) await publish(first, "orders", id, {});
    await first.live();
    expect((await first.rows("runs")).map(({ trigger }) => trigger)).toContain("orders/a");
    const second = await create(both('trigger: { topic: "orders", messageId: "b" }'));
    for (const id of ["a", "b"]) await publish(second, "orders", id, {});
    await second.live();
    expect((await second.rows("runs")).map(({ trigger }) => trigger)).toContain("orders/b");
    const foreign = await create(both('trigger: { topic: "orders", messageId: "z" }'));
    await publish(foreign, "orders", "a", {});
    await foreign.live();
    expect((await foreign.rows("runs")).find((run) => run.open)).toMatchObject({
      status: "failed:logic",
      failure: { message: "The trigger is not among the reserved events." },
    });
    await foreign.expectSound();
  });
});
