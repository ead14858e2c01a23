import { join } from "node:path";
import { insertRow, type RowChange, updateRow } from "@holdfast/core";
import { expect, test } from "vitest";
import { Owner } from "../testing/change-builder.ts";
import { eventRow, topicRow } from "../testing/row-builder.ts";
import { Connection } from "./connection.ts";
import { lowestUnsettled, pendingEvents } from "./peek.ts";
import { newFolder, openStore } from "./testing/folder.ts";

const topic = insertRow("topics", topicRow("orders"));

function published(count: number): readonly RowChange[] {
  return Array.from({ length: count }, (_, index) =>
    insertRow("events", eventRow(`m-${index + 1}`, { position: index + 1 })),
  );
}

test("walks the index of unsettled events from the low-water mark and sorts nothing", async () => {
  const folder = newFolder();
  await openStore(folder);
  const reader = new Connection(join(folder, "holdfast.db"), "read");
  for (const sql of [pendingEvents, lowestUnsettled]) {
    const plan = reader.rows(`EXPLAIN QUERY PLAN ${sql}`).map((step) => String(step.at(-1)));
    expect(plan[0]).toContain("INDEX events_unsettled (workflow=? AND topic=? AND position>?)");
    expect(plan.join()).not.toMatch(/SCAN|TEMP B-TREE/);
  }
  reader.close();
});

test("keeps the mark no higher than the lowest event that is not settled", async () => {
  const folder = newFolder();
  const store = await openStore(folder);
  const owner = await Owner.create(store);
  await owner.persist(topic, ...published(5));
  const mark = (): unknown => {
    const reader = new Connection(join(folder, "holdfast.db"), "read");
    const row = reader.row("SELECT low_water FROM topics");
    reader.close();
    return row?.[0];
  };
  const hint = async (position: number, ...rows: readonly RowChange[]): Promise<unknown> => {
    await owner.persistChange({ rows, settledBelow: [{ topic: "orders", position }] });
    return mark();
  };
  const skip = (id: string) => updateRow("events", ["orders", id], { status: "skipped" });
  expect(await hint(3)).toBe(1);
  expect(await hint(3, skip("m-1"), skip("m-2"))).toBe(3);
  expect(await hint(2)).toBe(3);
  // A hint from a peek before somebody made m-1 pending again.
  const again = updateRow("events", ["orders", "m-1"], { status: "pending", attempt: 2 });
  expect(await hint(3, again)).toBe(1);
  expect(await hint(6, skip("m-1"))).toBe(3);
});
