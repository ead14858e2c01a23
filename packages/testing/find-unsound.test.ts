import type { Store, TableName } from "@holdfast/core";
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
  expect(await findUnsound(await storeOf(), applied)).toEqual([
    "shop.book with the key k-2 happened 2 times",
  ]);
});

test("a table that is not what the journal says is found", async () => {
  const store = await storeOf();
  const row = { operation: "shop.book", reason: "", setBy: "ada", setAt: 0 };
  const broken = new Proxy(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return (...given: unknown[]): unknown => {
        const isBrakes = name === "scan" && (given[1] as TableName) === "brakes";
        return isBrakes ? [row] : member.apply(target, given);
      };
    },
  });
  expect(await findUnsound(broken, new Map())).toMatchObject([/TABLES_DIFFER.*brakes/]);
});

test("settle throws what must never be", async () => {
  const world = new TestWorld({ connections: shopWith(), now: 0, seed: 1, phasesMax: 100 });
  await world.store.createWorkflow("orders");
  const parts = { workflow: "orders", world, alwaysReplay: false, isOmniscient: false };
  await using it = new WorkflowTest(parts);
  await it.deploy({ text: orderScript });
  await it.settle();
  world.outside.applied.set("k-1", { name: "shop.book", result, count: 2 });
  await expect(it.settle()).rejects.toMatchObject({ code: "not_sound" });
});
