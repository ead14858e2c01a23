import { policyDefaults } from "@holdfast/core";
import { type Finding, QuietTimes } from "@holdfast/host";
import { beforeEach, describe, expect, test } from "vitest";
import { ForgetfulShop, ForgottenOrder, findable } from "./forgotten-order.ts";
import { openStores } from "./open-stores.ts";
import { sandboxOfFile } from "./order-shop.ts";
import { HostDies } from "./scripted-world.ts";
import type { WorkflowInTest } from "./workflow-in-test.ts";

const sandbox = sandboxOfFile();
const { reconcileDelayMs, reconcileTotalMsMax, reconcileTriesMax, hostPauseMsMax } = policyDefaults;
const day = 86_400_000;

describe.each([
  ["SQLite", openStores.SQLite],
  ["PostgreSQL", openStores.PostgreSQL],
])("on %s", (_name, store) => {
  let shop: ForgetfulShop;
  let it: WorkflowInTest;
  let order: ForgottenOrder;

  beforeEach(() => {
    shop = new ForgetfulShop();
  });

  async function open(): Promise<void> {
    order = await ForgottenOrder.open(sandbox(), { shop, store });
    it = order.it;
  }

  async function begin(): Promise<void> {
    await open();
    await it.live();
  }

  describe("a lost answer", () => {
    test("[S20] [R64] is found out about at once, and next gets the result", async () => {
      shop.guarantee = findable;
      await begin();
      await order.expectAllBooked();
      expect(shop.world.asked).toEqual(["shop.bookOrder"]);
      expect(shop.booked).toEqual(["a", "b", "c"]);
      const booked = await it.payloads("order.booked");
      expect(booked["b"]).toEqual({ number: "B-b" });
    });

    test("[S21] [S28] [R68] of a change that is not there is no proof before long", async () => {
      shop.guarantee = findable;
      shop.isApplied = false;
      await begin();
      expect(await order.uncertain()).toMatchObject({
        state: "needs_reconcile",
        reconcileCount: 1,
      });
      expect(shop.booked).toEqual(["a", "b"]);
      await order.nextTry();
      expect(await it.rows("mutations")).toContainEqual(
        expect.objectContaining({ state: "failed", resolution: null }),
      );
      it.now += policyDefaults.transientDelayMs * 2;
      await it.live();
      await order.expectAllBooked();
    });

    test("[R68] proves nothing by being absent where nobody says how soon it shows", async () => {
      shop.guarantee = { canReconcile: true };
      shop.isApplied = false;
      await begin();
      for (let tries = 1; tries < reconcileTriesMax; tries++) await order.nextTry();
      expect((await order.callOfB()).state).toBe("indeterminate");
      expect(shop.booked).toEqual(["a", "b"]);
      await it.expectSound();
    });

    test("[R68] is counted anew by a new process", async () => {
      shop.guarantee = findable;
      shop.isApplied = false;
      await begin();
      it.quietTimes = new QuietTimes();
      it.now += 10 * hostPauseMsMax;
      await it.live();
      expect((await order.uncertain())?.state).toBe("needs_reconcile");
      const since = it.now;
      for (let tries = 2; (await order.uncertain())?.state === "needs_reconcile"; tries++) {
        expect(tries).toBeLessThan(reconcileTriesMax);
        await order.nextTry();
      }
      expect(it.now - since).toBeGreaterThanOrEqual(hostPauseMsMax + findable.visibilityDelayMs);
      expect((await it.rows("mutations")).some(({ state }) => state === "failed")).toBe(true);
    });

    test("[S22] [R66] is asked for later each time, also after a restart", async () => {
      shop.guarantee = findable;
      shop.find = () => ({ says: "retry", note: "come back" });
      await begin();
      const waits: number[] = [];
      for (let tries = 0; tries < 3; tries++) {
        waits.push(((await order.uncertain())?.nextAttemptAt ?? 0) - it.now);
        it.quietTimes = new QuietTimes();
        await order.nextTry();
      }
      expect(waits.toSorted((a, b) => a - b)).toEqual(waits);
      expect(new Set(waits).size).toBe(3);
      shop.find = () => shop.lookUp();
      await order.nextTry();
      await order.expectAllBooked();
    });

    test("[S23] [R71] is a question when the tries are used up, and begins anew", async () => {
      shop.guarantee = findable;
      shop.find = () => ({ says: "retry", note: "come back" });
      await begin();
      for (let tries = 1; tries < reconcileTriesMax; tries++) await order.nextTry();
      expect((await order.callOfB()).state).toBe("indeterminate");
      const [question] = (await it.rows("attentions")).filter(({ closedAt }) => closedAt === null);
      expect(question).toMatchObject({ kind: "outcome_unknown" });
      expect(question?.answers).toContain("try_again");
      shop.find = () => shop.lookUp();
      expect(await order.resolve({ says: "try_again" })).toBe("done");
      await order.expectAllBooked();
    });

    test("[R141] of a service that is away for a day uses up the time, not the tries", async () => {
      shop.guarantee = findable;
      shop.find = () => ({ says: "unreachable", note: "nobody answers" });
      await begin();
      const since = it.now;
      for (
        let tries = 0;
        tries < 400 && (await order.uncertain())?.state === "needs_reconcile";
        tries++
      ) {
        await order.nextTry();
      }
      expect(shop.world.asked.length).toBeGreaterThan(reconcileTriesMax);
      expect((await order.callOfB()).state).toBe("indeterminate");
      expect(it.now - since).toBeGreaterThanOrEqual(reconcileTotalMsMax);
      expect(it.now - since).toBeLessThan(reconcileTotalMsMax + day);
      expect(shop.booked).toEqual(["a", "b"]);
    });

    test("[S24] [R65] is a question at once where nobody can be asked", async () => {
      await begin();
      expect((await order.callOfB()).state).toBe("indeterminate");
      expect(shop.world.asked).toEqual([]);
      expect(await order.resolve({ says: "try_again" })).toBe("cannot_reconcile");
    });

    test("[R75] is sent again with the same key while the service remembers it", async () => {
      shop.guarantee = { retentionMs: day };
      shop.losses = 2;
      // The service tells repeats by their key: it is one booking however often it comes.
      const book = shop.book;
      shop.book = (params) => {
        const sentBefore = shop.really.includes(String(params["id"]));
        if (!sentBefore || shop.losses > 0) return book(params);
        return { number: `B-${String(params["id"])}` };
      };
      await begin();
      for (let tries = 0; tries < 3 && (await order.uncertain()) !== undefined; tries++)
        await order.nextTry();
      const ofB = shop.world.sent.filter(({ params }) => params["id"] === "b");
      expect(ofB).toHaveLength(3);
      expect(new Set(ofB.map(({ key }) => key)).size).toBe(1);
      expect(shop.world.asked).toEqual([]);
      expect(await it.statuses("order.received")).toMatchObject({ b: "consumed", c: "consumed" });
      await it.expectSound();
    });

    test("[R75] is sent again by its key where the service was asked in vain", async () => {
      shop.guarantee = { canReconcile: true, retentionMs: day };
      shop.isApplied = false;
      await begin();
      for (let tries = 0; tries < reconcileTriesMax; tries++) await order.nextTry();
      await order.expectAllBooked();
      expect(shop.world.asked).toHaveLength(reconcileTriesMax);
      const ofB = shop.world.sent.filter(({ params }) => params["id"] === "b");
      expect(ofB).toHaveLength(2);
      expect(new Set(ofB.map(({ key }) => key)).size).toBe(1);
      expect(await it.questions()).toEqual([]);
    });

    test("[R75] is a question when the service may have forgotten the key", async () => {
      shop.guarantee = { retentionMs: 4 * 60_000 };
      shop.losses = 100;
      await begin();
      for (
        let tries = 0;
        tries < 30 && (await order.uncertain())?.state !== "indeterminate";
        tries++
      ) {
        await order.nextTry();
      }
      expect((await order.uncertain())?.state).toBe("indeterminate");
      const last = await order.callOfB();
      expect(last.sendCount).toBeGreaterThan(1);
      const sentFor = it.now - (last.firstSentAt ?? 0);
      expect(sentFor).toBeLessThan(4 * 60_000 + reconcileDelayMs * 8);
      await it.expectSound();
    });
  });

  describe("a service that is asked", () => {
    test.each([
      ["throws", () => Promise.reject(new Error("boom"))],
      ["throws a text", () => Promise.reject("boom")],
      ["answers nothing", () => undefined as never],
      ["answers nonsense", () => ({ says: "perhaps" }) as never],
    ])("[S28] [R63] and %s has said nothing", async (_what, find) => {
      shop.guarantee = findable;
      shop.find = find;
      await begin();
      expect(await order.uncertain()).toMatchObject({
        state: "needs_reconcile",
        reconcileCount: 1,
      });
      expect(shop.booked).toEqual(["a", "b"]);
      shop.find = () => shop.lookUp();
      await order.nextTry();
      await order.expectAllBooked();
    });

    test("and never answers is waited for no longer than it may take", async () => {
      shop.guarantee = findable;
      shop.find = () => new Promise<Finding>(() => {});
      const timers: (() => void)[] = [];
      await open();
      const due = Promise.withResolvers<void>();
      it.timers = {
        setTimer: (_ms, onTime) => {
          timers.push(onTime);
          if (shop.world.asked.length > 0) due.resolve();
          return () => {};
        },
      };
      const living = it.live();
      await due.promise;
      timers.at(-1)?.();
      await living;
      const row = await order.uncertain();
      expect(row).toMatchObject({ state: "needs_reconcile", reconcileCount: 1 });
    });

    test("[R67] while the host dies is asked by the next one, and no script is run", async () => {
      shop.guarantee = findable;
      shop.find = () => {
        throw new HostDies();
      };
      await begin();
      const phases: string[] = [];
      it.onPhase = ({ phase }) => phases.push(phase);
      it.quietTimes = new QuietTimes();
      shop.find = () => ({ says: "retry", note: "not yet" });
      it.now += 60_000;
      await it.live();
      expect(phases).toEqual([]);
      shop.find = () => shop.lookUp();
      await order.nextTry();
      await order.expectAllBooked();
    });
  });

  test("[R135] [R155] a host dies while it sends: the next one asks, and waits", async () => {
    shop.guarantee = findable;
    shop.isApplied = false;
    const book = shop.book;
    shop.book = (params) => {
      if (params["id"] !== "b" || shop.losses === 0) return book(params);
      shop.losses = 0;
      throw new HostDies();
    };
    await begin();
    it.quietTimes = new QuietTimes();
    it.now += 60_000;
    await it.live();
    const row = await order.uncertain();
    expect(row).toMatchObject({ state: "needs_reconcile" });
    expect(row?.quietFrom).toBeGreaterThanOrEqual(it.now - 60_000 + hostPauseMsMax);
    expect(shop.booked).toEqual(["a", "b"]);
    for (let tries = 0; tries < 4 && (await order.uncertain()) !== undefined; tries++) {
      it.now += 30_000;
      await order.nextTry();
    }
    it.now += policyDefaults.transientDelayMs * 2;
    await it.live();
    await order.expectAllBooked();
  });
});
