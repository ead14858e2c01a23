import { describe, expect, test } from "vitest";
import {
  type CrashPoint,
  crashPoints,
  everyCrash,
  mutation,
  read,
  testWorkflow,
  timesOut,
} from "./index.ts";
import { namedBy, orderScript, shopWith } from "./testing/order-script.ts";

const options = { script: { text: orderScript }, connections: shopWith() };

/** Those of machines are in machines.test.ts. */
type OfRuns = Exclude<CrashPoint, `${string} frame`>;

/** Bookings, and what a person is asked, once another host has taken over. */
const afterCrash: Readonly<Record<OfRuns, readonly [bookedCount: number, asked: string[]]>> = {
  "before read": [2, []],
  "after read": [2, []],
  "before prepared": [2, []],
  "after prepared": [0, ["outcome_unknown"]],
  "before in_flight": [2, []],
  "after in_flight": [0, ["outcome_unknown"]],
  "before send": [0, ["outcome_unknown"]],
  "after send": [1, ["outcome_unknown"]],
  "before applied": [1, ["outcome_unknown"]],
  "after applied": [2, []],
  "before committed": [2, []],
  "after committed": [2, []],
};

describe("a host that dies", () => {
  test.each(Object.entries(afterCrash) as [OfRuns, [number, string[]]][])(
    "[R134] [R135] %s is followed by another, and what is certain is done once",
    async (point, [bookedCount, asked]) => {
      await using it = await testWorkflow(options);
      it.crashHere(point);
      await it.settle();
      expect(it.crashCount).toBe(1);
      expect(it.sent.filter(({ applied }) => applied)).toHaveLength(bookedCount);
      expect(it.questions().map(({ kind }) => kind)).toEqual(asked);
    },
  );

  test("has all its points in that table", () => {
    const ofRuns = crashPoints.filter((point) => !point.endsWith("frame"));
    expect(Object.keys(afterCrash).sort()).toEqual([...ofRuns].sort());
  });

  test("[R162] twice in a row over one script stops the workflow until it is resumed", async () => {
    await using it = await testWorkflow(options);
    // After the first death a run leaves a trace of having begun.
    it.crashHere("before read", { times: 3 });
    await it.settle();
    expect(it.status).toBe("poll brought the host down 2 times in a row");
    const [question] = it.questions();
    if (question?.kind !== "crash_loop") throw new Error("nobody was asked");
    await it.answer(question, "resume");
    await it.settle();
    expect([it.status, it.sent.length]).toEqual(["active", 2]);
  });

  test("at a point that is never passed fails the test", async () => {
    await using it = await testWorkflow({ ...options, connections: { shop: noOrders } });
    it.crashHere("after applied");
    await expect(it.settle()).rejects.toThrow('no host came to the point "after applied"');
  });
});

const noOrders = { ...shopWith().shop, listOrders: read.list([]) };

describe("every crash", () => {
  test("[R134] [R135] leads to the same end as none", async () => {
    const { points } = await everyCrash(options, async (it) => {
      await it.settle();
      await it.publish("order.received", { messageId: "c", sum: 5 });
      await it.settle();
      expect(it.state("book")).toEqual({ total: 35 });
      expect(it.events("order.booked").map(({ messageId }) => messageId)).toEqual(["a", "b", "c"]);
    });
    expect(points.length).toBeGreaterThan(30);
    expect(new Set(points)).toContain("after the send of shop.bookOrder");
  });

  test("is not survived by events that are named by the clock, and that is found", async () => {
    const unstable = namedBy("Date.now()");
    const trial = everyCrash({ ...options, script: { text: unstable } }, (it) => it.settle());
    await expect(trial).rejects.toThrow(
      /died before the read of shop.listOrders \(1 of \d+\), and afterwards\n.*0 times, 1 times/,
    );
  });

  test("that the scenario itself does not survive is reported with its place", async () => {
    const trial = everyCrash(options, async (it) => {
      await it.settle();
      expect(it.crashCount).toBe(0);
    });
    await expect(trial).rejects.toThrow(
      /died before the read of shop.listOrders \(1 of \d+\), and then the scenario failed/,
    );
  });

  test("leaves the questions open that the scenario itself asks", async () => {
    const connections = shopWith(mutation(timesOut()));
    await everyCrash({ ...options, connections }, async (it) => {
      await it.settle();
      expect(it.events("order.received").map(({ status }) => status)).toEqual([
        "reserved",
        "pending",
      ]);
      expect(it.questions().map(({ kind }) => kind)).toEqual(["outcome_unknown"]);
    });
  });

  test("leaves services that count what they gave the choice to begin anew each time", async () => {
    const counting = () => {
      let number = 0;
      return { ...options, connections: shopWith({ kind: "mutation", answer: () => ++number }) };
    };
    await everyCrash(counting, async (it) => {
      await it.settle();
      expect(it.ledger().filter(({ state }) => state === "applied")).toHaveLength(2);
    });
  });
});
