import { KnownTimes, QuietTimes } from "@holdfast/host";
import { describe, expect, test } from "vitest";
import { ForgetfulShop, ForgottenOrder } from "./forgotten-order.ts";
import { openStores } from "./open-stores.ts";
import { OrderShop, sandboxOfFile } from "./order-shop.ts";
import { Fails } from "./scripted-world.ts";

const sandbox = sandboxOfFile();
const minute = 60_000;

async function atRest() {
  const shop = new OrderShop();
  const it = await shop.open(sandbox());
  await it.live();
  shop.orders.push({ id: "d", sum: 40 });
  return { it, shop };
}

describe("a host whose clock is behind the store's", () => {
  test("[R95] does what is due by the store's clock", async () => {
    const { it, shop } = await atRest();
    it.now += 5 * minute;
    it.clockErrorMs = -60 * minute;
    await it.live();
    expect(shop.booked).toEqual(["a", "b", "c", "d"]);
    // Nothing is left that the store would give out again.
    expect(await it.live()).toBeNull();
    await it.expectSound();
  });

  test("[R108] goes on with a run whose back-off is over", async () => {
    const { it, shop } = await atRest();
    const works = shop.list;
    shop.list = () => {
      throw new Fails("transient", "not now");
    };
    it.now += 5 * minute;
    await it.live();
    shop.list = works;
    it.now = (await it.openRun()).dueAt ?? 0;
    it.clockErrorMs = -60 * minute;
    await it.live();
    expect(shop.booked).toEqual(["a", "b", "c", "d"]);
    await it.expectSound();
  });

  test("does nothing before it is due", async () => {
    const { it, shop } = await atRest();
    it.clockErrorMs = -60 * minute;
    it.now += 5 * minute - 1;
    expect(await it.live()).toBeNull();
    await it.ask("pause_workflow", {});
    await it.ask("resume_workflow", {});
    expect(shop.world.reads).toHaveLength(1);
    expect(shop.booked).toEqual(["a", "b", "c"]);
  });
});

test("a host whose clock was ahead and is set back goes on", async () => {
  const { it, shop } = await atRest();
  it.now += 5 * minute;
  it.clockErrorMs = 2 * minute;
  await it.live();
  it.clockErrorMs = -2 * minute;
  shop.orders.push({ id: "e", sum: 50 });
  it.now += 10 * minute;
  await it.live();
  expect(shop.booked).toEqual(["a", "b", "c", "d", "e"]);
  for (const { startedAt, endedAt } of await it.rows("runs")) {
    expect(endedAt ?? startedAt).toBeGreaterThanOrEqual(startedAt);
  }
  await it.expectSound();
});

const hour = 60 * minute;

describe("a clock that is set back after a call was sent under a key", () => {
  /** Every answer to b is lost; the service remembers its key for a day from the first send. */
  async function sentOnce() {
    const shop = new ForgetfulShop();
    shop.guarantee = { retentionMs: 24 * hour };
    shop.losses = Number.POSITIVE_INFINITY;
    const order = await ForgottenOrder.open(sandbox(), { shop, store: openStores.SQLite });
    await order.it.live();
    const { firstSentAt } = await order.callOfB();
    if (firstSentAt === null) throw new Error("it was not sent");
    return { order, it: order.it, shop, forgottenAt: firstSentAt + 24 * hour };
  }

  /** Lets hosts work whenever the store says so, and notes when b was sent, by the real time. */
  async function sendsOfB({ order, it, shop }: Awaited<ReturnType<typeof sentOnce>>) {
    const sentAt: number[] = [];
    for (let tries = 0; tries < 60; tries++) {
      const before = shop.world.sent.length;
      await it.live();
      if (shop.world.sent.length > before) sentAt.push(it.now);
      const { state } = await order.callOfB();
      if (state === "indeterminate") return { sentAt, state };
      it.now += hour;
    }
    return { sentAt, state: (await order.callOfB()).state };
  }

  test("[R75] sends nothing again that the service may have forgotten", async () => {
    const sent = await sentOnce();
    sent.it.clockErrorMs = -12 * hour;
    const { sentAt, state } = await sendsOfB(sent);
    expect(state).toBe("indeterminate");
    expect(Math.max(...sentAt)).toBeLessThan(sent.forgottenAt);
    expect(await sent.it.questions()).toContain("outcome_unknown");
    await sent.it.expectSound();
  });

  test("[R75] nor a host that comes after it, and knows the time of the last record", async () => {
    const sent = await sentOnce();
    sent.it.clockErrorMs = -12 * hour;
    sent.it.quietTimes = new QuietTimes();
    sent.it.knownTimes = new KnownTimes();
    await sent.order.nextTry();
    const { sentAt, state } = await sendsOfB(sent);
    expect(state).toBe("indeterminate");
    expect(Math.max(...sentAt)).toBeLessThan(sent.forgottenAt);
  });

  test("[R75] nor where the first record of it was made by a clock that was ahead", async () => {
    const shop = new ForgetfulShop();
    shop.guarantee = { retentionMs: 24 * hour };
    shop.losses = Number.POSITIVE_INFINITY;
    const order = await ForgottenOrder.open(sandbox(), { shop, store: openStores.SQLite });
    const { it } = order;
    it.clockErrorMs = 12 * hour;
    const sentFirstAt = it.now;
    await it.live();
    it.clockErrorMs = 0;
    const forgottenAt = sentFirstAt + 24 * hour;
    const { sentAt, state } = await sendsOfB({ order, it, shop, forgottenAt });
    expect(state).toBe("indeterminate");
    expect(Math.max(...sentAt)).toBeLessThan(forgottenAt);
  });
});
