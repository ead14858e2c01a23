import { decodeCanonical, encodeCanonical, policyDefaults } from "@holdfast/core";
import { traceOf } from "@holdfast/host";
import { describe, expect, test } from "vitest";
import { OrderShop, sandboxOfFile } from "./order-shop.ts";
import { bookOneByOne, orderSource } from "./order-workflow.ts";
import { Fails } from "./scripted-world.ts";
import type { WorkflowInTest } from "./workflow-in-test.ts";

const sandbox = sandboxOfFile();
const minute = 60_000;

async function open(source?: string) {
  const shop = new OrderShop();
  const it = await shop.open(sandbox(), source === undefined ? {} : { source });
  return { it, shop };
}

async function publish(it: WorkflowInTest, topic: string, messageId: string): Promise<void> {
  const payload = encodeCanonical({ sum: 1 });
  await it.command("publish_event", { topic, messageId, payload, title: null });
}

/** Consumers only; events come by hand. */
const byHand = (topics: readonly string[], consumers: string) => `
  import { workflow } from "@holdfast/sdk";
  export default workflow({
    name: "orders",
    connections: { shop: { connector: "http", account: "shop" } },
    topics: { ${topics.map((topic) => `${topic}: {}`).join(", ")}, seen: { observed: true } },
    producers: { never: { manual: true, publishes: ["seen"], handler: async () => {} } },
    consumers: { ${consumers} },
  });`;

describe("[S8] consumers that wait", () => {
  const pairing = byHand(
    ["paid", "packed"],
    `match: {
      subscribe: ["paid", "packed"],
      prepare: async (ctx) => {
        const [paid, packed] = [await ctx.peek("paid"), await ctx.peek("packed")];
        const both = paid.find((one) => packed.some((other) => other.id === one.id));
        const ids = both === undefined ? [] : [both.id];
        const reservations = [{ topic: "paid", ids }, { topic: "packed", ids }];
        return { reservations, data: { id: ids[0] ?? null } };
      },
      mutate: async (ctx, prepared) => { await ctx.shop.bookOrder({ id: prepared.data.id }); },
    }`,
  );

  test("for two topics to have the same order take both, when both are there", async () => {
    const { it, shop } = await open(pairing);
    for (const [topic, id] of [
      ["paid", "a"],
      ["packed", "b"],
      ["paid", "c"],
    ] as const) {
      await publish(it, topic, id);
      await it.live();
    }
    expect(shop.booked).toEqual([]);
    await publish(it, "packed", "c");
    await it.live();
    expect(shop.booked).toEqual(["c"]);
    expect(await it.statuses("paid")).toEqual({ a: "pending", c: "consumed" });
    expect(await it.statuses("packed")).toEqual({ b: "pending", c: "consumed" });
    await it.expectSound();
  });

  const batching = (wish: string) =>
    byHand(
      ["news"],
      `digest: {
        subscribe: ["news"],
        prepare: async (ctx, state) => {
          const events = await ctx.peek("news");
          const due = state?.due ?? Date.now() + ${10 * minute};
          const isTime = events.length >= 3 || (events.length > 0 && Date.now() >= due);
          const ids = isTime ? events.map((event) => event.id) : [];
          const wakeAt = events.length > 0 && !isTime ? ${wish} : undefined;
          return { reservations: [{ topic: "news", ids }], data: { ids, due }, wakeAt };
        },
        mutate: async (ctx, prepared) => {
          await ctx.shop.bookOrder({ id: prepared.data.ids.join("+") });
        },
        next: async (ctx, prepared, result) =>
          result.status === "none" ? { due: prepared.data.due } : {},
      }`,
    );

  test("for enough events or enough time send what there is, once", async () => {
    const { it, shop } = await open(batching("due"));
    for (const id of ["a", "b", "c"]) await publish(it, "news", id);
    await it.live();
    expect(shop.booked).toEqual(["a+b+c"]);
    await publish(it, "news", "d");
    await it.live();
    it.now += 10 * minute - 1;
    expect(await it.live()).toBeNull();
    it.now += 1;
    await it.live();
    expect(shop.booked).toEqual(["a+b+c", "d"]);
    await it.expectSound();
  });

  test.each([
    ["too early", "Date.now() + 1", policyDefaults.wakeDelayMsMin],
    ["too late", "Date.now() + 1e12", policyDefaults.wakeDelayMsMax],
    ["in the past", "0", policyDefaults.wakeDelayMsMin],
    ["as text", "new Date(Date.now() + 60000).toISOString()", minute],
    ["as nonsense", '"soon"', null],
  ])("a wake time that is asked for %s is kept within bounds", async (_, wish, ms) => {
    const { it } = await open(batching(wish));
    await publish(it, "news", "a");
    await it.live();
    const [handler] = (await it.rows("handlers")).filter(({ name }) => name === "digest");
    expect(handler?.wakeAt).toBe(ms === null ? null : it.now + ms);
  });

  test.each([
    ["a text", '"soon"', 'wakeAt is ignored: "soon" is no time'],
    ["an object", "{ at: 1 }", 'wakeAt is ignored: {"at":1} is no time'],
    ["none at all", "undefined", null],
  ])(
    "[R100] a wake time that is %s stands in the trace if it is ignored",
    async (_, wish, says) => {
      const { it } = await open(batching(wish));
      await publish(it, "news", "a");
      await it.live();
      const [run] = (await it.rows("runs")).filter((each) => each.handler === "digest");
      const trace = await traceOf(it.store, { workflow: it.workflow, runId: run?.runId ?? "" });
      const lines = trace?.phases.flatMap(({ logs }) => logs.map(({ text }) => text)) ?? [];
      expect(lines).toEqual(says === null ? [] : [expect.stringContaining(says)]);
    },
  );
});

describe("[S34] what comes in while a run finds nothing", () => {
  test("wakes its consumer again, and is not lost", async () => {
    const looking = bookOneByOne.replace(
      "if (!event) return",
      "await ctx.shop.getOrder({ id: 'a' }); if (!event) return",
    );
    const { it, shop } = await open(orderSource(looking));
    shop.orders = [];
    let hasCome = false;
    shop.get = async () => {
      if (!hasCome) await publish(it, "order.received", "late");
      hasCome = true;
    };
    await publish(it, "order.received", "early");
    await it.ask("skip_event", { topic: "order.received", messageId: "early" });
    // A run that found nothing, one that found what had come meanwhile, one more look.
    expect(shop.booked).toEqual(["late"]);
    const runs = (await it.rows("runs")).filter(({ handler }) => handler === "book");
    expect(runs.map(({ outcome }) => outcome ?? "").sort()).toEqual(["", "", "applied"]);
    await it.expectSound();
  });
});

describe("[S14] a service that wants a new sign-in, in any phase", () => {
  const reading = orderSource(
    bookOneByOne.replace("if (!event)", "await ctx.shop.getOrder({ id: 'a' }); if (!event)"),
  );

  test.each(["list", "get", "book"] as const)(
    "(%s) makes the run wait for a person, and go on as itself",
    async (operation) => {
      const { it, shop } = await open(reading);
      const works = { [operation]: shop[operation] };
      const refuses = () => {
        throw new Fails("auth", "sign in again");
      };
      Object.assign(shop, { [operation]: refuses });
      await it.live();
      const { runId, reason, status } = await it.openRun();
      expect([status, reason]).toEqual(["paused:approval", "auth"]);
      expect(await it.questions()).toEqual(["action_needed"]);
      it.now += 60 * minute;
      expect(await it.live()).toBeNull();
      Object.assign(shop, works);
      expect(await it.ask("resume_run", { runId })).toBe("done");
      expect(new Set(shop.booked)).toEqual(new Set(["a", "b", "c"]));
      expect(await it.statuses("order.received")).toEqual({
        a: "consumed",
        b: "consumed",
        c: "consumed",
      });
      expect(await it.questions()).toEqual([]);
      const resumed = (await it.rows("runs")).find((run) => run.runId === runId);
      expect(resumed?.status).toBe("committed");
      await it.expectSound();
    },
  );
});

test("[S15] when the second of two consumers fails, only it is tried again", async () => {
  const chain = (second: string) =>
    byHand(
      ["orders", "bills"],
      `book: {
        subscribe: ["orders"], publishes: ["bills"],
        prepare: async (ctx) => {
          const ids = (await ctx.peek("orders")).map((event) => event.id);
          return { reservations: [{ topic: "orders", ids }], data: { ids } };
        },
        mutate: async (ctx, prepared) => { await ctx.shop.bookOrder({ id: "booked" }); },
        next: async (ctx, prepared) => {
          for (const id of prepared.data.ids) await ctx.publish("bills", { messageId: id });
        },
      },
      bill: {
        subscribe: ["bills"],
        prepare: async (ctx) => {
          const ids = (await ctx.peek("bills")).map((event) => event.id);
          return { reservations: [{ topic: "bills", ids }], data: { ids } };
        },
        mutate: async (ctx, prepared) => { ${second} },
      }`,
    );
  const { it, shop } = await open(chain("throw new Error('no bill');"));
  await publish(it, "orders", "a");
  await it.live();
  expect(shop.booked).toEqual(["booked"]);
  expect(await it.statuses("orders")).toEqual({ a: "consumed" });
  expect(await it.statuses("bills")).toEqual({ a: "reserved" });
  await it.deploy(chain("await ctx.shop.bookOrder({ id: 'billed' });"));
  await it.live();
  expect(shop.booked).toEqual(["booked", "billed"]);
  expect(await it.statuses("bills")).toEqual({ a: "consumed" });
  await it.expectSound();
});

test("[S16] a producer that fails leaves no events, no state and its time as it was", async () => {
  const { it, shop } = await open();
  await it.live();
  const before = (await it.rows("handlers")).find(({ name }) => name === "poll");
  it.now += 5 * minute;
  shop.orders.push({ id: "d", sum: 40 });
  shop.list = () => {
    throw new Fails("logic", "the page has changed");
  };
  await it.live();
  expect(await it.openRun()).toMatchObject({ handler: "poll", status: "failed:logic" });
  const after = (await it.rows("handlers")).find(({ name }) => name === "poll");
  expect(after).toEqual(before);
  expect(Object.keys(await it.statuses("order.received"))).toEqual(["a", "b", "c"]);
  await it.expectSound();
});

describe("[R41] before a request leaves", () => {
  test("the whole call is in the ledger, and in flight", async () => {
    const { it, shop } = await open();
    const found: unknown[] = [];
    shop.book = async ({ id }) => {
      const rows = await it.rows("mutations");
      const [row] = rows.filter(({ state }) => state === "in_flight");
      found.push(row?.payload.inline && decodeCanonical(row.payload.inline));
      return { number: `B-${String(id)}` };
    };
    await it.live();
    expect(found).toEqual(shop.orders);
  });

  test("[R42] what its operation does not accept never gets into the ledger", async () => {
    const { it, shop } = await open();
    shop.world.describe = () => ({ class: "logic", message: "sum: too big", location: "" });
    await it.live();
    expect(await it.rows("mutations")).toEqual([]);
    expect(await it.openRun()).toMatchObject({ status: "failed:logic" });
    expect((await it.openRun()).failure?.message).toBe("sum: too big");
  });

  test("a call that had to wait is sent with the timeout of its own operation", async () => {
    const { it, shop } = await open();
    await it.command("set_brake", { operation: "shop.bookOrder", reason: "look first" });
    await it.live();
    expect((await it.rows("mutations")).map(({ state }) => state)).toEqual(["ready"]);
    expect(shop.booked).toEqual([]);
    await it.ask("release_brake", { operation: "shop.bookOrder" });
    expect(shop.booked).toEqual(["a", "b", "c"]);
    expect(new Set(shop.world.sent.map(({ timeoutMs }) => timeoutMs))).toEqual(new Set([1_000]));
  });
});
