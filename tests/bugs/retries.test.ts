import { policyDefaults } from "@holdfast/core";
import { describe, expect, test } from "vitest";
import { OrderShop, sandboxOfFile } from "../engine/order-shop.ts";
import { bookOneByOne, orderSource } from "../engine/order-workflow.ts";
import { Fails } from "../engine/scripted-world.ts";

const sandbox = sandboxOfFile();
const { transientDelayMsMax, transientTriesMax } = policyDefaults;

const notNow = () => {
  throw new Fails("transient", "not now");
};

describe("[B12] a back-off is in the rows, not in the memory of a host", () => {
  test("[S12] hosts that come and go neither shorten it nor begin to count anew", async () => {
    const shop = new OrderShop();
    shop.list = notNow;
    const it = await shop.open(sandbox());
    await it.live();
    for (let tries = 1; tries <= transientTriesMax; tries++) {
      const { transientCount, dueAt } = await it.openRun();
      expect(transientCount).toBe(tries);
      // A new host each time: none has anything to do before the time has come.
      it.now = (dueAt ?? 0) - 1;
      expect(await it.live()).toBeNull();
      expect(shop.world.reads).toHaveLength(tries);
      it.now += 1;
      await it.live();
      expect(shop.world.reads).toHaveLength(tries + 1);
    }
    expect(await it.openRun()).toMatchObject({ dueAt: null, status: "paused:transient" });
    expect(await it.questions()).toEqual(["retries_exhausted"]);
    await it.expectSound();
  });

  test("each wait is longer than the one before, up to the longest there is", async () => {
    const shop = new OrderShop();
    shop.list = notNow;
    const it = await shop.open(sandbox());
    const waits: number[] = [];
    for (;;) {
      await it.live();
      const { dueAt } = await it.openRun();
      if (dueAt === null) break;
      waits.push(dueAt - it.now);
      it.now = dueAt;
    }
    expect(waits).toHaveLength(transientTriesMax);
    expect(waits).toEqual([...waits].sort((one, other) => one - other));
    expect(Math.max(...waits)).toBeLessThanOrEqual(transientDelayMsMax);
  });
});

describe("[B13] tries that are used up let go of nothing", () => {
  test("a call that was not committed waits with its events for a person", async () => {
    const shop = new OrderShop();
    const works = shop.book;
    shop.book = notNow;
    const it = await shop.open(sandbox());
    for (let tries = 0; tries <= transientTriesMax; tries++) {
      await it.live();
      it.now += transientDelayMsMax;
    }
    expect(await it.questions()).toEqual(["retries_exhausted"]);
    expect(new Set(shop.booked)).toEqual(new Set(["a"]));
    expect((await it.statuses("order.received"))["a"]).toBe("reserved");
    expect(await it.live()).toBeNull();
    shop.book = works;
    const { runId } = await it.openRun();
    expect(await it.ask("resume_run", { runId })).toBe("done");
    expect(shop.booked.slice(-3)).toEqual(["a", "b", "c"]);
    expect(await it.questions()).toEqual([]);
    await it.expectSound();
  });

  test("after an applied mutation every retry of next has its result", async () => {
    const shop = new OrderShop();
    const failing = bookOneByOne.replace("const { number }", "if (true) throw 1; const { number }");
    const it = await shop.open(sandbox(), { source: orderSource(failing) });
    await it.live();
    for (let retry = 0; retry < transientTriesMax + 2; retry++) {
      const { runId } = await it.openRun();
      expect(await it.ask("retry_run", { runId })).toBe("done");
      expect(await it.openRun()).toMatchObject({
        status: "failed:logic",
        phase: "emitting",
        outcome: "applied",
        retryOf: runId,
      });
      expect((await it.statuses("order.received"))["a"]).toBe("reserved");
    }
    expect(shop.booked).toEqual(["a"]);
    await it.deploy(orderSource());
    await it.live();
    expect(shop.booked).toEqual(["a", "b", "c"]);
    expect((await it.payloads("order.booked"))["a"]).toEqual({ number: "B-a" });
    expect((await it.statuses("order.received"))["a"]).toBe("consumed");
    await it.expectSound();
  });
});
