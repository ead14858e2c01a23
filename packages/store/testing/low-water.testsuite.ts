import { insertRow, type Store, updateRow } from "@holdfast/core";
import { expect } from "vitest";
import type { Owner } from "./change-builder.ts";
import { consume, events, ids, ownerWith, settledBelow, step } from "./peek.testsuite.ts";
import { eventRow } from "./row-builder.ts";
import { reserve } from "./row-sequence.ts";
import type { StoreCase } from "./store-case.ts";

/** Consumes the first two of four and tells the store what peek told the caller. */
async function ownerWithMark(store: Store): Promise<Owner> {
  const owner = await ownerWith(store, ...events(4), ...consume(1), ...consume(2, "skipped"));
  const mark = await settledBelow(store);
  expect(mark).toBe(3 * step);
  if (mark === null) throw new Error("there are pending events");
  await owner.persistChange({ settledBelow: [{ topic: "orders", position: mark }] });
  expect(await ids(store)).toEqual(["m-3", "m-4"]);
  expect(await settledBelow(store)).toBe(mark);
  return owner;
}

export const lowWaterCases: readonly StoreCase[] = [
  {
    name: "says below which position all is settled, reserved events counted as open",
    run: async ({ store }) => {
      const owner = await ownerWith(store, ...events(3));
      expect(await settledBelow(store)).toBe(step);
      await owner.persist(...reserve("run-1", "m-1"));
      expect(await settledBelow(store)).toBe(step);
      const consumed = { status: "consumed", reservedBy: null } as const;
      await owner.persist(updateRow("events", ["orders", "m-1"], consumed));
      expect(await settledBelow(store)).toBe(2 * step);
      await owner.persist(...reserve("run-1", "m-2"), ...consume(3, "skipped"));
      expect(await settledBelow(store)).toBe(2 * step);
      await owner.persist(updateRow("events", ["orders", "m-2"], consumed));
      expect(await settledBelow(store)).toBeNull();
    },
  },
  {
    name: "after a hint, still sees an old event that is reprocessed",
    run: async ({ store }) => {
      const owner = await ownerWithMark(store);
      const again = { status: "pending", attempt: 2 } as const;
      await owner.persist(updateRow("events", ["orders", "m-1"], again));
      expect(await ids(store)).toEqual(["m-1", "m-3", "m-4"]);
      expect(await settledBelow(store)).toBe(step);
      const loaded = await store.load("orders", [{ kind: "oldest_pending" }]);
      expect(loaded.rows).toMatchObject([{ row: { messageId: "m-1" } }]);
    },
  },
  {
    name: "sees an old event that is reprocessed in the change that brings the hint",
    run: async ({ store }) => {
      const owner = await ownerWith(store, ...events(4), ...consume(1), ...consume(2));
      await owner.persistChange({
        rows: [updateRow("events", ["orders", "m-2"], { status: "pending", attempt: 2 })],
        settledBelow: [{ topic: "orders", position: 3 * step }],
      });
      expect(await ids(store)).toEqual(["m-2", "m-3", "m-4"]);
      expect(await settledBelow(store)).toBe(2 * step);
    },
  },
  {
    name: "after a hint, sees every event of a topic that is reopened [R149]",
    run: async ({ store }) => {
      const owner = await ownerWithMark(store);
      await owner.persist({ op: "reopen_topic", topic: "orders", revision: 3 });
      expect(await ids(store)).toEqual(["m-1", "m-2", "m-3", "m-4"]);
      expect(await settledBelow(store)).toBe(step);
    },
  },
  {
    name: "after a hint, sees an event that is written below it",
    run: async ({ store }) => {
      const owner = await ownerWithMark(store);
      await owner.persist(insertRow("events", eventRow("late", { position: 15 })));
      expect(await ids(store)).toEqual(["late", "m-3", "m-4"]);
      expect(await settledBelow(store)).toBe(15);
    },
  },
  {
    name: "after a hint, sees an event that is released by its run",
    run: async ({ store }) => {
      const owner = await ownerWithMark(store);
      await owner.persist(...reserve("run-1", "m-3"));
      const { settledBelow: mark } = await store.peek("orders", "orders", 10);
      expect(mark).toBe(3 * step);
      const release = { status: "pending", reservedBy: null } as const;
      await owner.persistChange({
        rows: [updateRow("events", ["orders", "m-3"], release)],
        settledBelow: [{ topic: "orders", position: 3 * step }],
      });
      expect(await ids(store)).toEqual(["m-3", "m-4"]);
    },
  },
  {
    name: "hides nothing for a hint that is no longer true",
    run: async ({ store }) => {
      const owner = await ownerWith(store, ...events(4), ...consume(1), ...consume(2));
      const { settledBelow: seen } = await store.peek("orders", "orders", 1);
      expect(seen).toBe(3 * step);
      const again = { status: "pending", attempt: 2 } as const;
      await owner.persist(updateRow("events", ["orders", "m-1"], again));
      await owner.persistChange({ settledBelow: [{ topic: "orders", position: 3 * step }] });
      expect(await ids(store)).toEqual(["m-1", "m-3", "m-4"]);
      expect(await settledBelow(store)).toBe(step);
    },
  },
  {
    name: "keeps to a hint for its topic only, and takes one for a topic without events",
    run: async ({ store }) => {
      const owner = await ownerWith(store, ...events(2));
      await owner.persistChange({ settledBelow: [{ topic: "other", position: 3 * step }] });
      await owner.persist(insertRow("events", eventRow("x", { topic: "other", position: 5 })));
      expect(await ids(store)).toEqual(["m-1", "m-2"]);
      expect(await ids(store, 10, "other")).toEqual(["x"]);
    },
  },
  {
    name: "does not raise the mark for a hint in a change that missed or was refused",
    run: async ({ store }) => {
      const owner = await ownerWith(store, ...events(2));
      const settled = [{ topic: "orders", position: 9 * step }];
      await owner.commit({ settledBelow: settled, epoch: 99 });
      await owner.commit({ settledBelow: settled, onHead: { seq: 0, hash: owner.head.hash } });
      await owner.commit({ settledBelow: settled, rows: events(1) });
      expect(await ids(store)).toEqual(["m-1", "m-2"]);
    },
  },
  {
    name: "sees the same after it is opened again",
    needsReopen: true,
    run: async ({ store, reopen }) => {
      const owner = await ownerWithMark(store);
      await owner.persist(...reserve("run-1", "m-3"), ...events(1, 5));
      const again = await reopen();
      expect(await ids(again)).toEqual(["m-4", "m-5"]);
      expect(await settledBelow(again)).toBe(3 * step);
    },
  },
];
