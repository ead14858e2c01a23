import { insertRow, updateRow } from "@holdfast/core";
import { expect, test } from "vitest";
import { Owner } from "../testing/change-builder.ts";
import { topicRow } from "../testing/row-builder.ts";
import { startOfTime } from "../testing/store-case.ts";
import { openTestStore } from "./testing/open-test-store.ts";

const options = { clock: () => startOfTime, newIncarnation: () => "store-1" };
const names = Array.from({ length: 2_500 }, (_, no) => `t-${String(no).padStart(4, "0")}`);

test("a scan of thousands of rows shows one moment, whatever is committed meanwhile", async () => {
  const { store, remove } = await openTestStore(options);
  try {
    const owner = await Owner.create(store);
    await owner.persist(...names.map((name) => insertRow("topics", topicRow(name))));
    const seen: string[] = [];
    for await (const { name, subscriber } of store.scan("orders", "topics")) {
      if (seen.length === 0) {
        const set = { subscriber: "late" };
        await owner.persist(...names.slice(-2).map((topic) => updateRow("topics", [topic], set)));
        await owner.persist(insertRow("topics", topicRow("t-0001-b")));
      }
      expect(subscriber).not.toBe("late");
      seen.push(name);
    }
    expect(seen).toEqual(names);
  } finally {
    await store.close();
    await remove?.();
  }
});

test("scans that are left half-way do not use up the connections", async () => {
  const { store, remove } = await openTestStore(options);
  try {
    const owner = await Owner.create(store);
    await owner.persist(...names.map((name) => insertRow("topics", topicRow(name))));
    for (let count = 0; count < 25; count++) {
      for await (const { name } of store.scan("orders", "topics")) {
        expect(name).toBe(names[0]);
        break;
      }
    }
    expect((await store.load("orders", [])).head.seq).toBe(owner.head.seq);
  } finally {
    await store.close();
    await remove?.();
  }
});
