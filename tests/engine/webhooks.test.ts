import { deliveriesPerRunMax, inputIdOf } from "@holdfast/core";
import { Sandbox } from "@holdfast/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStores } from "./open-stores.ts";
import { HostDies, ScriptedWorld } from "./scripted-world.ts";
import { WorkflowInTest } from "./workflow-in-test.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.open({ threadsMax: 2 });
});
afterAll(() => sandbox?.close());

/** Publishes each delivery, and remembers how it was started. */
const source = `
  import { workflow } from "@holdfast/sdk";
  export default workflow({
    name: "orders",
    connections: { shop: { connector: "http", account: "shop" } },
    topics: { orders: { observed: true }, starts: { observed: true } },
    producers: {
      hook: {
        publishes: ["orders", "starts"],
        webhook: { secret: "shop" },
        handler: async (ctx, state) => {
          const runs = (state?.runs ?? 0) + 1;
          const { reason, deliveries } = ctx.trigger;
          await ctx.publish("starts", {
            messageId: String(runs),
            payload: { reason, ids: deliveries.map(({ id }) => id) },
          });
          await ctx.shop.look({ runs });
          for (const { id, inputId, body, receivedAt } of deliveries) {
            if (body === "nothing") continue;
            const payload = { ...JSON.parse(body), receivedAt };
            await ctx.publish("orders", { messageId: id, inputId, payload });
          }
          return { runs };
        },
      },
    },
  });`;

const utf8 = (text: string) => new TextEncoder().encode(text);
const idOf = (externalId: string) => inputIdOf({ source: "webhook", type: "hook", externalId });

describe.each(Object.entries(openStores))("a webhook, on %s", (_store, open) => {
  let look: () => unknown = () => null;

  async function create(): Promise<WorkflowInTest> {
    look = () => null;
    const clock = { now: 1_700_000_000_000 };
    const store = await open(() => clock.now);
    const world = new ScriptedWorld({
      shop: { look: { kind: "read:list", answer: () => look() } },
    });
    const it = await WorkflowInTest.create({ store, sandbox, world, clock }, source);
    await it.live();
    return it;
  }

  const push = (it: WorkflowInTest, deliveryId: string, body = `{"n":"${deliveryId}"}`) =>
    it.command("receive_delivery", { handler: "hook", deliveryId, body: utf8(body), title: null });

  async function starts(it: WorkflowInTest): Promise<readonly string[]> {
    const events = (await it.rows("events")).filter(({ topic }) => topic === "starts");
    const sorted = events.sort((a, b) => Number(a.messageId) - Number(b.messageId));
    return Promise.all(sorted.map((event) => it.textOf(event.payload)));
  }

  test("[R4] runs for what was pushed, oldest first, and its events know their input", async () => {
    const it = await create();
    expect(await it.rows("runs")).toEqual([]);
    await push(it, "b");
    await push(it, "a");
    await push(it, "n", "nothing");
    await it.live();
    expect(await starts(it)).toEqual(['{"ids":["b","a","n"],"reason":"webhook"}']);
    const orders = (await it.rows("events")).filter(({ topic }) => topic === "orders");
    expect(orders.map(({ messageId, causedBy }) => [messageId, causedBy])).toEqual([
      ["a", [idOf("a")]],
      ["b", [idOf("b")]],
    ]);
    const receivedAt = new Date(it.now).toISOString();
    const [order] = orders;
    if (order === undefined) throw new Error("an order was published");
    expect(await it.textOf(order.payload)).toBe(`{"n":"a","receivedAt":"${receivedAt}"}`);
    const [run] = await it.rows("runs");
    expect(run).toMatchObject({ trigger: "webhook", status: "committed" });
    const deliveries = await it.rows("deliveries");
    expect(deliveries.map(({ status, runId }) => [status, runId])).toEqual(
      Array(3).fill(["taken", run?.runId]),
    );
    expect(await it.live()).toBeNull();
    await it.expectSound();
  });

  test("[R19] [R12] pushed twice is handled once, before and after it was taken", async () => {
    const it = await create();
    await push(it, "a");
    await push(it, "a");
    await it.live();
    await push(it, "a", '{"n":"other"}');
    await it.live();
    expect(await starts(it)).toEqual(['{"ids":["a"],"reason":"webhook"}']);
    const verdicts = (await it.rows("verdicts")).filter(({ kind }) => kind === "receive_delivery");
    expect(verdicts.map(({ accepted }) => accepted)).toEqual([true, true, true]);
    expect(verdicts.filter(({ note }) => note.startsWith("duplicate"))).toHaveLength(2);
    await it.expectSound();
  });

  test("[R25] leaves them waiting when its run fails, and goes on without a bad one", async () => {
    const it = await create();
    await push(it, "a");
    await push(it, "bad", "not json");
    await it.live();
    const failed = (await it.rows("runs")).find((run) => run.open);
    expect(failed).toMatchObject({ status: "failed:logic" });
    expect((await it.rows("deliveries")).map(({ status }) => status)).toEqual([
      "waiting",
      "waiting",
    ]);
    expect(await it.questions()).toEqual(["run_failed"]);
    // A person decides about the one that cannot be read, and has nothing else to say.
    await it.command("skip_input", { inputId: idOf("bad") });
    await it.live();
    expect(await it.questions()).toEqual([]);
    expect(await starts(it)).toEqual(['{"ids":["a"],"reason":"webhook"}']);
    const statuses = (await it.rows("deliveries")).map(({ deliveryId, status }) => [
      deliveryId,
      status,
    ]);
    expect(Object.fromEntries(statuses)).toEqual({ a: "taken", bad: "skipped" });
    await it.expectSound();
  });

  test("[R134] [R138] is run again for the same ones when its host dies over them", async () => {
    const it = await create();
    await push(it, "a");
    look = () => {
      throw new HostDies();
    };
    expect(await it.live()).toBeNull();
    look = () => null;
    it.now += 3_600_000;
    await it.live();
    const orders = (await it.rows("events")).filter(({ topic }) => topic === "orders");
    expect(orders.map(({ messageId }) => messageId)).toEqual(["a"]);
    expect((await it.rows("deliveries")).map(({ status }) => status)).toEqual(["taken"]);
    await it.expectSound();
  });

  test("takes what arrived meanwhile with its next run, a limited number at a time", async () => {
    const it = await create();
    for (let at = 0; at < deliveriesPerRunMax + 3; at++) await push(it, `d${at}`);
    await it.live();
    const counts = (await starts(it)).map((text) => JSON.parse(text).ids.length);
    expect(counts).toEqual([deliveriesPerRunMax, 3]);
    expect(new Set((await it.rows("deliveries")).map(({ status }) => status))).toEqual(
      new Set(["taken"]),
    );
    await it.expectSound();
  }, 60_000);

  test("gives a run no more than it can hold: bodies have a limit together", async () => {
    const it = await create();
    const large = JSON.stringify({ text: "x".repeat(600_000) });
    for (const id of ["a", "b", "c"]) await push(it, id, large);
    await it.live();
    const counts = (await starts(it)).map((text) => JSON.parse(text).ids.length);
    expect(counts).toEqual([1, 1, 1]);
    await it.expectSound();
  });

  test("[R103] is run by a person with nothing to take", async () => {
    const it = await create();
    await it.command("run_now", {});
    await it.live();
    expect(await starts(it)).toEqual(['{"ids":[],"reason":"manual"}']);
    expect(await it.live()).toBeNull();
    await it.expectSound();
  });
});
