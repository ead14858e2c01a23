import { type AnyListShape, type ListName, listShapes } from "@holdfast/core";
import { expect, test } from "vitest";
import { pageSql } from "./lists.ts";
import { databaseInTest } from "./testing/store-in-test.ts";
import { withConnection } from "./testing/test-database.ts";

/** Of an empty table: what it does if it may neither read everything nor sort. */
const asIfLong = "SET enable_seqscan = off; SET enable_sort = off; SET enable_bitmapscan = off";

test("[R59] every list walks one index from its place and sorts nothing", async () => {
  const { url } = await databaseInTest();
  await withConnection(url, async (client) => {
    await client.query(asIfLong);
    for (const list of Object.keys(listShapes) as ListName[]) {
      const shape: AnyListShape = listShapes[list];
      const place = shape.order.map(({ numbered }) => (numbered ? "r1" : 1));
      const of = shape.of.map(() => "x");
      const query = { workflow: "orders", list, of, after: place, downTo: place, limit: 10 };
      const { sql, values } = pageSql(query);
      const { rows } = await client.query(`EXPLAIN (COSTS OFF) ${sql}`, [...values]);
      const plan = rows.map((row) => String(row["QUERY PLAN"])).join("\n");
      expect([list, plan]).toEqual([list, expect.stringMatching(/Index (Only )?Scan/)]);
      expect([list, plan]).not.toEqual([list, expect.stringMatching(/Sort|Seq Scan/)]);
    }
  });
});
