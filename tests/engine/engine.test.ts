import { policyDefaults } from "@holdfast/core";
import { Sandbox } from "@holdfast/sandbox";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type OpenStore, openStores } from "./open-stores.ts";
import { bookOneByOne, orderSource } from "./order-workflow.ts";
import { Fails, HostDies, ScriptedWorld } from "./scripted-world.ts";
import { WorkflowInTest } from "./workflow-in-test.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.open({ threadsMax: 2 });
});
afterAll(() => sandbox?.close());

/** What the shop has, and what it does with a booking. */
let orders: { id: string; sum: number }[];
let book: (params: Readonly<Record<string, unknown>>) => unknown;
let list: () => unknown;
let world: ScriptedWorld;

beforeEach(() => {
  orders = [
    { id: "a", sum: 10 },
    { id: "b", sum: 20 },
    { id: "c", sum: 30 },
  ];
  list = () => orders;
  book = ({ id }) => ({ number: `B-${id}` });
  world = new ScriptedWorld({
    shop: {
      listOrders: { kind: "read:list", answer: () => list() },
      bookOrder: { kind: "mutation", answer: (params) => book(params) },
    },
  });
});

let openStore: OpenStore;

async function create(consumer = bookOneByOne): Promise<WorkflowInTest> {
  const clock = { now: 1_700_000_000_000 };
  const store = await openStore(() => clock.now);
  return WorkflowInTest.create({ store, sandbox, world, clock }, orderSource(consumer));
}

describe.each(Object.entries(openStores))("on %s", (_store, open) => {
  beforeEach(() => {
    openStore = open;
  });

  describe("a producer and a consumer", () => {
    test("[S3] work every input off, once each, and leave everything explained", async () => {
      const it = await create();
      expect(await it.live()).toEqual({ kind: "resting" });
      expect(world.sent.map(({ params }) => params)).toEqual(orders);
      expect(await it.statuses("order.received")).toEqual({
        a: "consumed",
        b: "consumed",
        c: "consumed",
      });
      const booked = (await it.rows("events")).filter(({ topic }) => topic === "order.booked");
      expect(booked.map(({ messageId, causedBy }) => [messageId, causedBy.length])).toEqual([
        ["a", 1],
        ["b", 1],
        ["c", 1],
      ]);
      const runs = await it.rows("runs");
      expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(["committed"]));
      // One producer run, three that booked, one that found nothing left.
      expect(runs).toHaveLength(5);
      await it.expectSound();
    });

    test("[R26] [R12] see the same things again and do nothing about them", async () => {
      const it = await create();
      await it.live();
      it.now += 300_000;
      await it.live();
      expect(world.sent).toHaveLength(3);
      await it.expectSound();
    });

    test("[R25] go on from the state that was returned", async () => {
      const it = await create();
      await it.live();
      const handlers = await it.rows("handlers");
      const states = handlers.map(({ name, state }) => [name, state?.size !== undefined]);
      expect(Object.fromEntries(states)).toEqual({ poll: true, book: true });
    });

    test("[R96] [R95] are woken by the schedule and rest in between", async () => {
      const it = await create();
      await it.live();
      expect(await it.live()).toBeNull();
      it.now += 300_000 - 1;
      expect(await it.live()).toBeNull();
      it.now += 1;
      expect(await it.live()).toEqual({ kind: "resting" });
      expect(world.reads).toHaveLength(2);
    });
  });

  describe("a consumer", () => {
    const reserve = `prepare: async (ctx) => {
    const events = await ctx.peek("order.received");
    const ids = events.map((event) => event.messageId);
    return { reservations: [{ topic: "order.received", ids }], data: {} };
  },`;

    test("[S6] without mutate and next consumes what it reserved", async () => {
      const it = await create(reserve);
      await it.live();
      expect(Object.values(await it.statuses("order.received"))).toEqual(Array(3).fill("consumed"));
      expect(world.sent).toEqual([]);
      await it.expectSound();
    });

    test("[S5] [R40] whose mutate makes no call has the outcome none", async () => {
      const it = await create(`${reserve} mutate: async () => {},`);
      await it.live();
      const runs = await it.rows("runs");
      expect(runs.filter(({ outcome }) => outcome === "none").length).toBeGreaterThan(0);
      expect(Object.values(await it.statuses("order.received"))).toEqual(Array(3).fill("consumed"));
    });

    test("[S7] takes a batch into one mutation", async () => {
      const it = await create(`${reserve} mutate: async (ctx, prepared) => {
      await ctx.shop.bookOrder({ id: "all" });
    },`);
      await it.live();
      expect(world.sent).toHaveLength(1);
      expect(Object.values(await it.statuses("order.received"))).toEqual(Array(3).fill("consumed"));
      await it.expectSound();
    });

    test.each([
      ["nothing", "undefined", "returned nothing"],
      ["no reservations", "JSON.parse('{}')", "reservations has to be a list"],
      [
        "an id that is no text",
        '({ reservations: [{ topic: "order.received", ids: [1] }] })',
        "not a text",
      ],
      [
        "an unknown id",
        '({ reservations: [{ topic: "order.received", ids: ["x"] }] })',
        "no event",
      ],
      [
        "another topic",
        '({ reservations: [{ topic: "order." + "booked", ids: ["a"] }] })',
        "subscribe",
      ],
    ])(
      "[R30] [R32] [S9] whose prepare returns %s fails, and is not tried again",
      async (_, value, says) => {
        const it = await create(`prepare: async () => (() => ${value})(),`);
        await it.live();
        const failed = (await it.rows("runs")).filter(({ status }) => status === "failed:logic");
        expect(failed).toHaveLength(1);
        expect(failed[0]?.failure?.message).toContain(says);
        expect((await it.rows("attentions")).map(({ kind }) => kind)).toEqual(["run_failed"]);
        expect(await it.live()).toBeNull();
        await it.expectSound();
      },
    );

    test("[R113] that throws says so with the author's own line", async () => {
      const it = await create("prepare: async () => {\n throw new Error('no order'); },");
      await it.live();
      const [failed] = (await it.rows("runs")).filter(({ status }) => status === "failed:logic");
      expect(failed?.failure).toEqual({
        class: "logic",
        message: expect.stringMatching(/^SCRIPT_THREW: Error: no order\. \(orders\.ts:\d+:\d+\)$/),
        location: "book prepare",
      });
    });

    test("[S10] that failed is tried again by a new version, with its events", async () => {
      const failing = "prepare: async (ctx, state) => { if (!state) throw new Error('no');";
      const it = await create(bookOneByOne.replace("prepare: async (ctx, state) => {", failing));
      await it.live();
      await it.deploy(orderSource(bookOneByOne));
      await it.live();
      expect(world.sent).toHaveLength(3);
      expect(Object.values(await it.statuses("order.received"))).toEqual(Array(3).fill("consumed"));
      await it.expectSound();
    });

    test("[S11] [R49] whose next failed keeps its events and its booking", async () => {
      const it = await create(
        bookOneByOne.replace(
          "next: async (ctx, prepared, result) => {",
          "next: async (ctx, prepared, result) => { if (result.result) throw new Error('no');",
        ),
      );
      await it.live();
      expect(world.sent).toHaveLength(1);
      expect((await it.statuses("order.received"))["a"]).toBe("reserved");
      await it.deploy(orderSource(bookOneByOne));
      await it.live();
      expect(world.sent.map(({ params }) => params["id"])).toEqual(["a", "b", "c"]);
      await it.expectSound();
    });
  });

  describe("the outside world", () => {
    test("[S12] [R108] fails for a while: the run waits, and goes on", async () => {
      const it = await create();
      let failures = 2;
      list = () => {
        if (failures-- > 0) throw new Fails("transient", "not now");
        return orders;
      };
      await it.live();
      expect((await it.rows("runs")).map(({ status }) => status)).toEqual(["paused:transient"]);
      for (let round = 0; round < 5; round++) {
        it.now += policyDefaults.transientDelayMsMax;
        await it.live();
      }
      expect(world.sent).toHaveLength(3);
      await it.expectSound();
    });

    test("[S24] [R43] does not say whether it happened: a person is asked", async () => {
      const it = await create();
      book = () => {
        throw new Fails("indeterminate", "no answer");
      };
      await it.live();
      expect(world.sent).toHaveLength(1);
      expect((await it.rows("mutations")).map(({ state }) => state)).toEqual(["indeterminate"]);
      expect((await it.statuses("order.received"))["a"]).toBe("reserved");
      it.now += 86_400_000;
      await it.live();
      expect(world.sent).toHaveLength(1);
      expect((await it.rows("attentions")).map(({ kind }) => kind)).toEqual(["outcome_unknown"]);
      await it.expectSound();
    });

    test("[R84] [R110] is not granted: nothing is sent, and the run waits", async () => {
      const it = await create();
      world.denied.add("shop.bookOrder");
      await it.live();
      expect(world.sent).toEqual([]);
      const open = (await it.rows("runs")).find((run) => run.open);
      expect(open).toMatchObject({ status: "paused:approval", reason: "permission" });
      world.denied.clear();
      await it.command("resume_run", { runId: open?.runId });
      await it.live();
      expect(world.sent).toHaveLength(3);
      await it.expectSound();
    });

    test("asks to come back later: the call waits in the ledger and is sent then", async () => {
      const it = await create();
      let limited = true;
      book = ({ id }) => {
        if (limited) throw new Fails("transient", "slow down", it.now + 60_000);
        return { number: `B-${id}` };
      };
      await it.live();
      expect((await it.rows("mutations")).map(({ state }) => state)).toEqual(["ready"]);
      limited = false;
      it.now += 60_000;
      await it.live();
      expect(new Set(world.sent.map(({ params }) => params["id"]))).toEqual(
        new Set(["a", "b", "c"]),
      );
      await it.expectSound();
    });
  });

  describe("a host that dies", () => {
    const dying = () => {
      throw new HostDies();
    };

    test("[R135] while it sends leaves a question, and nothing is sent twice", async () => {
      const it = await create();
      book = dying;
      expect(await it.live()).toBeNull();
      book = ({ id }) => ({ number: `B-${id}` });
      it.now += 3_600_000;
      await it.live();
      expect(world.sent).toHaveLength(1);
      expect((await it.rows("mutations")).map(({ state }) => state)).toEqual(["indeterminate"]);
      await it.expectSound();
    });

    test("[R134] while a script reads leaves nothing, and the next one goes on", async () => {
      const it = await create();
      list = dying;
      expect(await it.live()).toBeNull();
      list = () => orders;
      it.now += 3_600_000;
      await it.live();
      expect(world.sent).toHaveLength(3);
      await it.expectSound();
    });

    test("[R162] twice in a row over one script stops the workflow", async () => {
      const it = await create();
      list = dying;
      for (let life = 0; life < 4; life++) {
        await it.live();
        it.now += 3_600_000;
      }
      expect((await it.rows("attentions")).map(({ kind }) => kind)).toContain("crash_loop");
      const readsBefore = world.reads.length;
      await it.live();
      expect(world.reads).toHaveLength(readsBefore);
      await it.expectSound();
    });
  });

  test("[R126] a person pauses and resumes, and the host keeps to it", async () => {
    const it = await create();
    await it.command("pause_workflow", {});
    await it.live();
    expect(world.reads).toEqual([]);
    await it.command("resume_workflow", {});
    list = () => orders.slice(0, 2);
    await it.live();
    expect(world.sent.map(({ params }) => params["id"])).toEqual(["a", "b"]);
    await it.expectSound();
  });
});
