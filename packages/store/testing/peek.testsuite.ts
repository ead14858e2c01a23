import { insertRow, type RowChange, type Store, updateRow } from "@holdfast/core";
import { expect } from "vitest";
import { Owner } from "./change-builder.ts";
import { eventRow, runRow, topicRow } from "./row-builder.ts";
import { reserve } from "./row-sequence.ts";
import type { StoreCase } from "./store-case.ts";

export const step = 10;

/** Events m-1 … m-n at positions 10, 20, …; room between them for late comers. */
export function events(count: number, from = 1): readonly RowChange[] {
  return Array.from({ length: count }, (_, index) => {
    const number = from + index;
    return insertRow("events", eventRow(`m-${number}`, { position: number * step }));
  });
}

export function consume(number: number, status: "consumed" | "skipped" = "consumed"): RowChange[] {
  const key = ["orders", `m-${number}`];
  const end = updateRow("events", key, { status, reservedBy: null });
  return status === "skipped" ? [end] : [...reserve("run-1", `m-${number}`), end];
}

export async function ownerWith(store: Store, ...rows: readonly RowChange[]): Promise<Owner> {
  const owner = await Owner.create(store);
  await owner.persist(
    insertRow("topics", topicRow("orders")),
    insertRow("runs", runRow("run-1")),
    ...rows,
  );
  return owner;
}

export async function ids(store: Store, limit = 100, topic = "orders"): Promise<readonly string[]> {
  return (await store.peek("orders", topic, limit)).events.map((event) => event.messageId);
}

export async function settledBelow(store: Store, topic = "orders"): Promise<number | null> {
  return (await store.peek("orders", topic, 1)).settledBelow;
}

export const peekCases: readonly StoreCase[] = [
  {
    name: "gives pending events, oldest first, whatever order they were written in [R16]",
    run: async ({ store }) => {
      const owner = await ownerWith(store, ...events(2, 5), ...events(2, 1));
      // Last by its id: the order is that of the positions.
      await owner.persist(...events(2, 3), insertRow("events", eventRow("z", { position: 1 })));
      expect(await ids(store)).toEqual(["z", "m-1", "m-2", "m-3", "m-4", "m-5", "m-6"]);
      expect(await ids(store, 1)).toEqual(["z"]);
    },
  },
  {
    name: "gives no more than the limit [R16]",
    run: async ({ store }) => {
      await ownerWith(store, ...events(5));
      expect(await ids(store, 2)).toEqual(["m-1", "m-2"]);
      expect(await ids(store, 5)).toHaveLength(5);
    },
  },
  {
    name: "gives the whole row",
    run: async ({ store }) => {
      await ownerWith(store, ...events(1));
      const peek = await store.peek("orders", "orders", 1);
      expect(peek.events).toEqual([eventRow("m-1", { position: step })]);
    },
  },
  {
    name: "hides events that are reserved [R33]",
    run: async ({ store }) => {
      const owner = await ownerWith(store, ...events(3), ...reserve("run-1", "m-1"));
      expect(await ids(store)).toEqual(["m-2", "m-3"]);
      const release = { status: "pending", reservedBy: null } as const;
      await owner.persist(updateRow("events", ["orders", "m-1"], release));
      expect(await ids(store)).toEqual(["m-1", "m-2", "m-3"]);
    },
  },
  {
    name: "hides events that are consumed or skipped [R16]",
    run: async ({ store }) => {
      await ownerWith(store, ...events(3), ...consume(1), ...consume(2, "skipped"));
      expect(await ids(store)).toEqual(["m-3"]);
    },
  },
  {
    name: "sees a replaced payload at its old place",
    run: async ({ store }) => {
      const owner = await ownerWith(store, ...events(2));
      await owner.persist(updateRow("events", ["orders", "m-1"], { title: "new", revision: 2 }));
      const { events: seen } = await store.peek("orders", "orders", 1);
      expect(seen).toMatchObject([{ messageId: "m-1", title: "new", revision: 2 }]);
    },
  },
  {
    name: "sees one topic of one workflow",
    run: async ({ store }) => {
      await ownerWith(store, ...events(1), insertRow("events", eventRow("x", { topic: "other" })));
      const stranger = await Owner.create(store, "stranger");
      await stranger.persist(insertRow("events", eventRow("y")));
      expect(await ids(store)).toEqual(["m-1"]);
      expect(await ids(store, 10, "other")).toEqual(["x"]);
      expect(await store.peek("orders", "nowhere", 10)).toEqual({ events: [], settledBelow: null });
    },
  },
  {
    name: "walks through hundreds of events in order while they are worked off",
    run: async ({ store }) => {
      const count = 600;
      const owner = await ownerWith(store, ...events(count));
      const walked: string[] = [];
      while (walked.length < count) {
        const { events: seen, settledBelow: mark } = await store.peek("orders", "orders", 50);
        walked.push(...seen.map((event) => event.messageId));
        const hint = mark === null ? [] : [{ topic: "orders", position: mark }];
        await owner.persistChange({
          rows: seen.map((event) =>
            updateRow("events", ["orders", event.messageId], { status: "skipped" }),
          ),
          settledBelow: hint,
        });
        if (seen.length === 0) break;
      }
      expect(walked).toEqual(Array.from({ length: count }, (_, index) => `m-${index + 1}`));
      expect(await settledBelow(store)).toBeNull();
    },
  },
];
