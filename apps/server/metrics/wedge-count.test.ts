import { writeSampleHistory } from "@holdfast/host/testing";
import { openMemoryStore } from "@holdfast/store/memory";
import { expect, test } from "vitest";
import { WedgeCount } from "./wedge-count.ts";

const minute = 60_000;

test("what no rule explains is counted once a minute, and told when it is first seen", async () => {
  const store = openMemoryStore({ clock: () => 1, newIncarnation: () => "store" });
  await writeSampleHistory(store, "orders");
  const told: string[] = [];
  let now = 0;
  const wedges = new WedgeCount({
    store,
    now: () => now,
    onWedge: (workflow, text) => told.push(`${workflow} ${text}`),
  });
  expect(await wedges.count()).toBe(0);
  // Work is due, and no host comes.
  now = 60 * minute;
  expect(await wedges.count()).toBe(1);
  now += minute - 1;
  expect(await wedges.count()).toBe(1);
  now += minute;
  expect(await wedges.count()).toBe(1);
  expect(told).toEqual([expect.stringMatching(/^orders overdue orders: work is due/)]);
});

test("a count that fails is tried again", async () => {
  const store = openMemoryStore({ clock: () => 1, newIncarnation: () => "store" });
  let isAway = true;
  const listWorkflows: typeof store.listWorkflows = (...asked) =>
    isAway ? Promise.reject(new Error("away")) : store.listWorkflows(...asked);
  const parts = { store: { ...store, listWorkflows }, now: () => 0, onWedge: () => {} };
  const wedges = new WedgeCount(parts);
  await expect(wedges.count()).rejects.toThrow("away");
  isAway = false;
  expect(await wedges.count()).toBe(0);
});
