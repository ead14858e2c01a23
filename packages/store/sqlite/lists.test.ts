import { join } from "node:path";
import { type AnyListShape, type ListName, listShapes } from "@holdfast/core";
import { expect, test } from "vitest";
import { Connection } from "./connection.ts";
import { listQuery } from "./lists.ts";
import { newFolder, openStore } from "./testing/folder.ts";

test("[R59] every list walks one index from its place and sorts nothing", async () => {
  const folder = newFolder();
  await openStore(folder);
  const reader = new Connection(join(folder, "holdfast.db"), "read");
  for (const list of Object.keys(listShapes) as ListName[]) {
    const shape: AnyListShape = listShapes[list];
    const place = shape.order.map(() => 1);
    const of = shape.of.map(() => "x");
    for (const bounds of [
      { after: null, downTo: null },
      { after: place, downTo: place },
    ]) {
      const { sql, values } = listQuery({ workflow: "orders", list, of, ...bounds, limit: 10 });
      const plan = reader.rows(`EXPLAIN QUERY PLAN ${sql}`, ...values).map((row) => row.at(-1));
      expect([list, plan]).toEqual([
        list,
        [expect.stringMatching(/^SEARCH \w+ USING (INDEX|PRIMARY KEY|COVERING INDEX)/)],
      ]);
    }
  }
  reader.close();
});
