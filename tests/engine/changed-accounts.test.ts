import { describe, expect, test } from "vitest";
import { KeyedOrder, KeyedShop } from "./keyed-shop.ts";
import { openStores } from "./open-stores.ts";
import { sandboxOfFile } from "./order-shop.ts";

const sandbox = sandboxOfFile();
const day = 86_400_000;

const byKey = { idempotency: { header: "Idempotency-Key", retentionMs: day } };
const byOtherHeader = { idempotency: { header: "X-Request-Id", retentionMs: day } };
const byLookup = {
  path: "/orders",
  query: { ref: "{key}" },
  sentAs: { field: "ref" },
  found: "/orders",
  status: 201,
  visibilityDelayMs: 0,
};
const otherQuery = { ...byLookup, query: { ref: "order {key}" } };
const otherField = { ...byLookup, sentAs: { field: "reference" } };
const otherStatus = { ...byLookup, status: 200 };

describe.each(["SQLite", "PostgreSQL"] as const)("on %s", (name) => {
  async function orderBy(account: object) {
    const shop = await KeyedShop.start();
    const clock = { now: 1_700_000_000_000 };
    const store = await openStores[name](() => clock.now);
    const order = await KeyedOrder.open(sandbox(), shop, { store, clock, account });
    return { shop, order };
  }

  test("[R75] a lost call is sent again by its key where the account keys as it did", async () => {
    const { shop, order } = await orderBy(byKey);
    const same = { ...byKey, timeoutMs: 7_000, headers: { "x-shop": "north" } };
    shop.onLoss = () => order.changeAccount(same);
    await order.it.live();
    expect(await order.calls()).toEqual(["applied, sent 2"]);
    expect(shop).toMatchObject({ postCount: 2, orders: [{ id: "a" }] });
    await order.it.expectSound();
  });

  test.each([
    ["looks for the key elsewhere", byOtherHeader],
    ["knows no keys any more", {}],
    ["remembers a key for longer", { idempotency: { ...byKey.idempotency, retentionMs: 2 * day } }],
  ])("[R75] [R65] a lost call whose account %s by now is a question, at once", async (...given) => {
    const { shop, order } = await orderBy(byKey);
    shop.onLoss = () => order.changeAccount(given[1]);
    await order.it.live();
    expect(await order.calls()).toEqual(["indeterminate, sent 1"]);
    expect(await order.it.questions()).toEqual(["outcome_unknown"]);
    expect(shop).toMatchObject({ postCount: 1, orders: [{ id: "a" }] });
    await order.it.expectSound();
  });

  test("[R75] a call that another account sent than recorded it is not sent again", async () => {
    const { shop, order } = await orderBy(byKey);
    await order.it.ask("set_brake", { operation: "shop.post", reason: "wait" });
    expect(await order.calls()).toEqual(["ready, sent 0"]);
    order.changeAccount({});
    shop.onLoss = () => order.changeAccount(byKey);
    await order.it.ask("release_brake", { operation: "shop.post" });
    expect(await order.calls()).toEqual(["indeterminate, sent 1"]);
    expect(shop).toMatchObject({ postCount: 1, orders: [{ id: "a" }] });
  });

  test("[R75] a call from before this was recorded needs an account that has keys", async () => {
    const { shop, order } = await orderBy(byKey);
    order.forgetKeyed();
    shop.onLoss = () => order.changeAccount({});
    await order.it.live();
    expect(await order.calls()).toEqual(["indeterminate, sent 1"]);
    expect(shop).toMatchObject({ postCount: 1, orders: [{ id: "a" }] });
  });

  test.each([
    ["in another way", otherQuery],
    ["by what it was not sent with", otherField],
  ])("[R68] not to find a lost call that is looked for %s proves nothing", async (...given) => {
    const { shop, order } = await orderBy({ lookup: byLookup });
    shop.onLoss = () => order.changeAccount({ lookup: given[1] });
    shop.isBlind = given[1] === otherField;
    await order.untilKnown();
    expect(await order.calls()).toEqual(["indeterminate, sent 1"]);
    expect(await order.it.questions()).toEqual(["outcome_unknown"]);
    expect(shop.orders).toHaveLength(1);
    await order.it.expectSound();
  });

  test("[R64] what is found in another way than it was sent has happened", async () => {
    const { shop, order } = await orderBy({ lookup: byLookup });
    shop.onLoss = () => order.changeAccount({ lookup: otherStatus });
    await order.it.live();
    expect(await order.calls()).toEqual(["applied, sent 1"]);
    expect(shop.orders).toHaveLength(1);
  });
});
