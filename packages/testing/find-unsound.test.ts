import { type ListName, listShapes, type Store, type TableName } from "@holdfast/core";
import { openMemoryStore } from "@holdfast/store/memory";
import { expect, test } from "vitest";
import { findUnsound } from "./find-unsound.ts";
import { TestWorld } from "./test-world.ts";
import { orderScript, shopWith } from "./testing/order-script.ts";
import { WorkflowTest } from "./workflow-test.ts";

const result = new Uint8Array();

async function storeOf(): Promise<Store> {
  const store = openMemoryStore({ clock: () => 0, newIncarnation: () => "test" });
  await store.createWorkflow("orders");
  return store;
}

test("a change that happened twice under one key is found", async () => {
  const applied = new Map([
    ["k-1", { name: "shop.book", result, count: 1 }],
    ["k-2", { name: "shop.book", result, count: 2 }],
  ]);
  expect(await findUnsound(await storeOf(), "orders", { now: 0, applied })).toEqual([
    "shop.book with the key k-2 happened 2 times",
  ]);
});

/** The same, with another row in a table than anybody put there, scanned and listed. */
function withRow(store: Store, table: TableName, row: object): Store {
  return new Proxy(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return (...given: unknown[]): unknown => {
        const list = name === "listRows" ? (given[0] as { list: ListName }).list : null;
        const isListed = list !== null && listShapes[list].table === table;
        const isScanned = name === "scan" && given[1] === table;
        return isListed || isScanned ? [row] : member.apply(target, given);
      };
    },
  });
}

const nothing = { now: 0, applied: new Map() };

test("a table that is not what the journal says is found", async () => {
  const row = { operation: "shop.book", reason: "", setBy: "ada", setAt: 0 };
  const faults = await findUnsound(withRow(await storeOf(), "brakes", row), "orders", nothing);
  expect(faults).toEqual([expect.stringMatching(/^TABLES_DIFFER at record \d+: .*brakes/)]);
});

test("what waits and no rule explains is found", async () => {
  const world = new TestWorld({ connections: shopWith(), now: 0, seed: 1, phasesMax: 100 });
  const parts = { world, alwaysReplay: false, isOmniscient: false };
  await using it = await WorkflowTest.open(parts, { text: orderScript });
  await it.publish("order.received", { messageId: "o-1" });
  let held = {};
  for await (const event of world.store.scan("orders", "events")) {
    held = { ...event, status: "reserved", reservedBy: "r9" };
  }
  const faults = await findUnsound(withRow(world.store, "events", held), "orders", nothing);
  expect(faults).toContainEqual(expect.stringMatching(/^order\.received\/o-1 is stuck: /));
});

test("settle throws what must never be", async () => {
  const world = new TestWorld({ connections: shopWith(), now: 0, seed: 1, phasesMax: 100 });
  const parts = { world, alwaysReplay: false, isOmniscient: false };
  await using it = await WorkflowTest.open(parts, { text: orderScript });
  await it.settle();
  world.outside.applied.set("k-1", { name: "shop.book", result, count: 2 });
  await expect(it.settle()).rejects.toMatchObject({ code: "not_sound" });
});
