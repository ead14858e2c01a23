import { describe, expect, test } from "vitest";
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
