import type { Store } from "@holdfast/core";
import { type Done, DoneCounts } from "@holdfast/host";
import { describe, expect, test } from "vitest";
import { approve, bookGrants, grant } from "./granted-workflow.ts";
import { openStores } from "./open-stores.ts";
import { OrderShop, sandboxOfFile } from "./order-shop.ts";
import type { WorkflowInTest } from "./workflow-in-test.ts";

const sandbox = sandboxOfFile();
const hourMs = 3_600_000;

/** As whoever reads the whole ledger would count. */
async function counted(it: WorkflowInTest): Promise<Done> {
  const applied = (await it.rows("mutations")).filter(({ state }) => state === "applied");
  const now = Math.floor(it.now / hourMs);
  const hours = Array.from({ length: 24 }, (_, index) => {
    const hour = now - 23 + index;
    return applied.filter(({ recordedAt }) => Math.floor(recordedAt / hourMs) === hour).length;
  });
  return { total: applied.length, hours };
}

class Counts {
  readonly #it: WorkflowInTest;
  readonly #counts: DoneCounts;
  /** From where on the ledger was counted, for each time. */
  asked: (string | number)[] = [];

  constructor(it: WorkflowInTest) {
    this.#it = it;
    const countRows: Store["countRows"] = (query) => {
      if (query.list === "mutations") this.asked.push(query.downTo?.[0] ?? "everything");
      return it.store.countRows(query);
    };
    this.#counts = new DoneCounts({ countRows, readJournal: it.store.readJournal.bind(it.store) });
  }

  async now(): Promise<Done> {
    this.asked = [];
    const { head } = await this.#it.store.load(this.#it.workflow, []);
    return this.#counts.of(this.#it.workflow, { head, now: this.#it.now });
  }
}

/** So many more orders, published by hand and worked off as far as they go. */
async function order(shop: OrderShop, it: WorkflowInTest, ...ids: readonly string[]) {
  shop.orders = ids.map((id) => ({ id, sum: 1 }));
  expect(await it.ask("run_now", {})).toBe("done");
  await it.live();
}

describe.each(Object.entries(openStores))("what is done, on %s", (_, store) => {
  test("[R59] is counted truly, and nothing that is over is counted twice", async () => {
    const shop = new OrderShop();
    const it = await shop.open(sandbox(), { store });
    const counts = new Counts(it);
    expect(await counts.now()).toEqual({ total: 0, hours: Array(24).fill(0) });
    await it.command("set_envelope", { grants: bookGrants({ say: "allow" }) });
    await it.live();
    expect(await counts.now()).toEqual(await counted(it));
    expect((await counts.now()).total).toBe(3);
    // A journal that has not moved costs nothing.
    expect(counts.asked).toEqual([]);
    it.now += hourMs;
    await grant(it, { say: "ask" });
    await order(shop, it, "d");
    expect(await counts.now()).toEqual(await counted(it));
    // It waits for somebody for hours; what comes of it counts where it was recorded.
    it.now += 2 * hourMs;
    expect((await counts.now()).total).toBe(3);
    expect(await approve(it)).toBe("done");
    expect(await counts.now()).toEqual(await counted(it));
    expect((await counts.now()).total).toBe(4);
    await grant(it, { say: "allow" });
    for (let day = 0; day < 3; day += 1) {
      it.now += 20 * hourMs;
      await order(shop, it, `e${day}`, `f${day}`);
      expect(await counts.now()).toEqual(await counted(it));
    }
    expect((await counts.now()).total).toBe(10);
    const last = (await it.rows("mutations")).at(-1)?.mutationId;
    it.now += 10 * 60_000;
    await order(shop, it, "g");
    expect(await counts.now()).toEqual(await counted(it));
    // Only the hour that is not over yet.
    expect(counts.asked).toHaveLength(1);
    expect(Number(String(counts.asked[0]).slice(1))).toBeGreaterThan(Number(last?.slice(1)) - 100);
    it.now += 40 * 24 * hourMs;
    expect(await counts.now()).toEqual({ total: 11, hours: Array(24).fill(0) });
  });
});
