import type { Store } from "@holdfast/core";
import { type ActivityItem, findSummary, listActivity } from "@holdfast/host";
import { describe, expect, test } from "vitest";
import { bookGrants, grant } from "./granted-workflow.ts";
import { openStores } from "./open-stores.ts";
import { OrderShop, sandboxOfFile } from "./order-shop.ts";
import { orderSource } from "./order-workflow.ts";
import { WorkflowInTest } from "./workflow-in-test.ts";

const sandbox = sandboxOfFile();

/** Page by page, as somebody scrolls. */
async function scrolled(store: Store, limit: number): Promise<readonly ActivityItem[]> {
  const all: ActivityItem[] = [];
  for (let after: string | null = null; ; ) {
    const { items, next } = await listActivity(store, { after, limit }, null);
    expect(items.length).toBeLessThanOrEqual(limit);
    all.push(...items);
    if (next === null) return all;
    after = next;
  }
}

const nameOf = ({ workflow, kind, id }: ActivityItem) => `${workflow} ${kind} ${id}`;

describe.each(Object.entries(openStores))("activity over all workflows, on %s", (_, open) => {
  test("[R59] is told by pages, newest first, nothing twice and nothing left out", async () => {
    const clock = { now: 1_700_000_000_000 };
    const store = await open(() => clock.now);
    const start = async (workflow: string) => {
      const shop = new OrderShop();
      const parts = { store, sandbox: sandbox(), world: shop.world, clock, workflow };
      const it = await WorkflowInTest.create(parts, orderSource());
      await it.command("set_envelope", { grants: bookGrants({ say: "allow" }) });
      return { shop, it };
    };
    const idle = await start("idle");
    await idle.it.live();
    clock.now += 60_000;
    // Two that work in the same moments.
    const both = [await start("orders"), await start("more orders ~ %")];
    for (const ids of [["k", "l"], ["m"]]) {
      for (const { shop, it } of both) {
        shop.orders = ids.map((id) => ({ id, sum: 1 }));
        await it.live();
      }
      clock.now += 300_000;
    }
    const [one] = both;
    if (one !== undefined) {
      await grant(one.it, { say: "ask" });
      one.shop.orders = [{ id: "n", sum: 1 }];
      clock.now += 300_000;
      await one.it.live();
    }
    const all = await scrolled(store, 500);
    const rows = [idle, ...both].map(async ({ it }) => {
      return [...(await it.rows("inputs")), ...(await it.rows("mutations"))].length;
    });
    expect(all).toHaveLength((await Promise.all(rows)).reduce((sum, count) => sum + count, 0));
    expect(new Set(all.map(nameOf)).size).toBe(all.length);
    expect(all.map(({ at }) => at)).toEqual(all.map(({ at }) => at).toSorted((a, b) => b - a));
    expect(all[0]).toMatchObject({ kind: "output", state: "awaiting_approval" });
    for (const limit of [1, 2, 3, 7]) {
      expect((await scrolled(store, limit)).map(nameOf)).toEqual(all.map(nameOf));
    }
    // What last moved before the oldest on the page is not looked at.
    const asked = new Set<string>();
    const listRows: Store["listRows"] = (query) => {
      asked.add(query.workflow);
      return store.listRows(query);
    };
    const watched = Object.assign(Object.create(store) as Store, { listRows });
    const page = { after: null, limit: 5 };
    const summaries = await Promise.all(
      ["idle", "orders", "more orders ~ %"].map((name) => findSummary(store, name)),
    );
    await listActivity(
      watched,
      page,
      summaries.filter((each) => each !== null),
    );
    expect([...asked].sort()).toEqual(["more orders ~ %", "orders"]);
    const strange = listActivity(store, { ...page, after: "1~output~orders~x" }, null);
    await expect(strange).rejects.toMatchObject({ code: "CURSOR_UNKNOWN" });
  });
});
