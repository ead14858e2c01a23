import { describe, expect, test } from "vitest";
import { FailingWay } from "./failing-way.ts";
import { openStores } from "./open-stores.ts";
import { OrderShop, sandboxOfFile } from "./order-shop.ts";
import { Fails } from "./scripted-world.ts";

const sandbox = sandboxOfFile();

async function workWith(way: FailingWay, shop = new OrderShop()) {
  const it = await shop.open(sandbox(), { store: openStores.memory });
  it.way = (store) => way.to(store);
  const end = await it.live();
  return { it, shop, end };
}

describe("the store fails once, at any call", () => {
  test.each(["before", "after"] as const)(
    "[R157] [R134] and %s it acted: every order is booked once, and nobody is asked",
    async (when) => {
      let tried = 0;
      for (let at = 1; ; at++) {
        const way = new FailingWay(at, when);
        const { it, shop, end } = await workWith(way);
        expect(end, `call ${at}`).toEqual({ kind: "resting" });
        expect(shop.booked, `call ${at}`).toEqual(["a", "b", "c"]);
        expect(await it.statuses("order.received")).toEqual({
          a: "consumed",
          b: "consumed",
          c: "consumed",
        });
        expect(await it.rows("attentions"), `call ${at}`).toEqual([]);
        await it.expectSound();
        if (way.callCount < at) break;
        expect(it.troubles).toEqual(["STORE_UNREACHABLE"]);
        tried = at;
      }
      expect(tried).toBeGreaterThan(20);
    },
    60_000,
  );

  test.each(["before", "after"] as const)(
    "[R43] and %s it acted: a call whose outcome is unknown is never made again",
    async (when) => {
      for (let at = 1; ; at++) {
        const shop = new OrderShop();
        shop.book = () => {
          throw new Fails("indeterminate", "no answer");
        };
        const way = new FailingWay(at, when);
        const { it } = await workWith(way, shop);
        expect(shop.booked, `call ${at}`).toEqual(["a"]);
        const questions = await it.rows("attentions");
        expect(
          questions.map(({ kind }) => kind),
          `call ${at}`,
        ).toEqual(["outcome_unknown"]);
        if (way.callCount < at) break;
      }
    },
    60_000,
  );
});

test("a commit that has landed is found, and what it did is not done again", async () => {
  let commitCount = Number.POSITIVE_INFINITY;
  for (let at = 1; at <= commitCount; at++) {
    const shop = new OrderShop();
    const it = await shop.open(sandbox(), { store: openStores.memory });
    const phases: string[] = [];
    it.onPhase = ({ phase }) => phases.push(phase);
    const way = new FailingWay(at, "after", ["commit"]);
    it.way = (store) => way.to(store);
    await it.live();
    commitCount = way.callCount;
    // One poll, three bookings, and one look that finds nothing.
    const [prepares, nexts] = [Array(4).fill("prepare"), Array(4).fill("next")];
    const all = ["producer", ...prepares, ...Array(3).fill("mutate"), ...nexts];
    expect([...phases].sort(), `commit ${at}`).toEqual(all.sort());
  }
  expect(commitCount).toBeGreaterThan(6);
});

describe("what a host knows of a send", () => {
  test("is said again, and not the send, until the store has taken it", async () => {
    const shop = new OrderShop();
    const it = await shop.open(sandbox(), { store: openStores.memory });
    let failures = 0;
    // Every commit after the first booking fails for a while, whether or not it landed.
    it.way = (store) => ({
      ...store,
      commit: async (changes) => {
        if (shop.booked.length === 0 || failures >= 6) return store.commit(changes);
        failures += 1;
        return new FailingWay(1, failures % 2 === 0 ? "after" : "before").to(store).commit(changes);
      },
    });
    await it.live();
    expect(failures).toBe(6);
    expect(shop.booked).toEqual(["a", "b", "c"]);
    expect(await it.rows("attentions")).toEqual([]);
    await it.expectSound();
  });

  test("is nothing when its connector throws: the outcome is unknown", async () => {
    const shop = new OrderShop();
    shop.book = () => {
      throw new TypeError("cannot read properties of undefined");
    };
    const it = await shop.open(sandbox());
    await it.live();
    expect((await it.rows("mutations")).map(({ state }) => state)).toEqual(["indeterminate"]);
    expect((await it.rows("attentions"))[0]?.note).toContain("TypeError: cannot read");
    await it.expectSound();
  });
});
