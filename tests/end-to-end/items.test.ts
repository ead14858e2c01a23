import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { HostProcess, newFolder, verifyFull, writeAccounts } from "./host-process.ts";
import { OrderShop } from "./order-shop.ts";
import { places } from "./stores.ts";
import { deployOrders, itemScript, publishOrders } from "./story.ts";

type Item = { readonly itemId: string; readonly status: string; readonly attempt: number };
type Question = {
  readonly attentionId: string;
  readonly kind: string;
  readonly proposed: { readonly payloadHash: string; readonly differs: readonly string[] };
};

const allowed = ["shop.post"];

/** The shipped program with a job, and a shop that counts. */
class ItemWorld {
  readonly shop: OrderShop;
  readonly host: HostProcess;

  constructor(shop: OrderShop, host: HostProcess) {
    this.shop = shop;
    this.host = host;
  }

  async items(): Promise<readonly string[]> {
    const { out } = await this.host.holdfast("items", "ls", "orders", "--json");
    const { items } = JSON.parse(out) as { readonly items: readonly Item[] };
    return items.map(({ itemId, status, attempt }) => `${itemId} ${status} ${attempt}`).sort();
  }

  /** Waits by looking. */
  async until(...items: readonly string[]): Promise<void> {
    await expect.poll(() => this.items(), { timeout: 30_000, interval: 50 }).toEqual(items);
  }

  /** The open question, once there is another than the last. */
  async question(last = ""): Promise<string> {
    const open = async () => {
      const asked = await this.host.api<{ items: readonly Question[] }>("GET", question);
      return asked.items[0]?.attentionId ?? last;
    };
    await expect.poll(open, { timeout: 30_000, interval: 50 }).not.toBe(last);
    return open();
  }

  sumsOf(id: string): readonly unknown[] {
    return this.shop.applied.filter((each) => each.id.startsWith(`${id}/`)).map(({ sum }) => sum);
  }

  counts(id: string): readonly number[] {
    return [1, 2, 3].map((no) => this.shop.counts.get(`${id}/${no}`) ?? 0);
  }
}

async function begin(place: () => ReturnType<typeof places.SQLite>): Promise<ItemWorld> {
  const shop = await OrderShop.start();
  const folder = newFolder();
  const accountsFile = writeAccounts(folder, shop.url, { timeoutMs: 2_000 });
  const store = await place();
  const host = new HostProcess({ store, accountsFile });
  onTestFinished(async () => {
    await host.stop();
    await shop.stop();
    const { code, out } = await verifyFull(store);
    expect(code, out).toBe(0);
  });
  const world = new ItemWorld(shop, host);
  await deployOrders(host, allowed, [], itemScript);
  return world;
}

/** A call of an item is sent as a person edited it, and the replay asks for no other. */
async function editAndApprove(world: ItemWorld): Promise<void> {
  const { host } = world;
  const file = join(newFolder(), "grants.json");
  writeFileSync(file, JSON.stringify([{ operation: "shop.post", say: "ask" }]));
  await host.holdfast("grants", "set", "orders", "--file", file);
  await publishOrders(host, ["o-2"]);
  const first = await world.question();
  const params = { path: "/orders", body: { id: "o-2/1", sum: 60 } };
  const edit = ["edit", "orders", first, "--params", JSON.stringify(params)];
  expect((await host.holdfast(...edit)).out).toContain("/body/sum: 6 → 60");
  for (let asked = first, no = 1; no <= 3; no++) {
    asked = await world.question(asked);
    expect(await host.holdfast("approve", "orders", asked)).toMatchObject({ code: 0 });
  }
  await world.until("order:o-1 done 2", "order:o-2 done 1");
  expect(world.counts("o-2")).toEqual([1, 1, 1]);
  expect(world.sumsOf("o-2")[0]).toBe(60);
  const { out } = await host.holdfast("items", "show", "orders", "order:o-2");
  expect(out).toContain("Attempt 1 (version 1.1)");
}

const lettersScript = `
import { workflow } from "@holdfast/sdk";
export default workflow({
  name: "letters",
  connections: { shop: { connector: "http", account: "shop" } },
  jobs: {
    write: {
      manual: true,
      handler: async (ctx) => {
        const path = "/letters";
        await ctx.withItem("ann", "Two letters to Ann", async (ctx) => {
          if (ctx.item.isDone) return;
          await ctx.shop.post({ path, body: { id: "welcome" }, subkey: "welcome" });
          await ctx.shop.post({ path, body: { id: "bill" }, subkey: "bill" });
        });
        await Promise.all(["bob", "cleo"].map((name) =>
          ctx.withItem(name, "Letters to " + name, async (ctx) => {
            if (ctx.item.isDone) return;
            await Promise.all([
              ctx.shop.post({ path, body: { id: name + "/1" } }),
              ctx.shop.post({ path, body: { id: name + "/2" }, subkey: "2" }),
            ]);
          })));
      },
    },
  },
});`;

/** Like calls are told apart, items come one after the other, and what is done stays done. */
async function writeLetters({ host, shop }: ItemWorld): Promise<void> {
  const before = shop.applied.length;
  const run = async (text: string): Promise<readonly string[]> => {
    const source = { entry: "letters.ts", files: { "letters.ts": text } };
    await host.api("POST", "/versions", { source, allow: allowed });
    type Runs = { readonly items: readonly { readonly status: string }[] };
    const statuses = async () => {
      const { items } = await host.api<Runs>("GET", "/workflows/letters/runs");
      return items.map(({ status }) => status);
    };
    const runCount = (await statuses()).length;
    await host.api("POST", "/workflows/letters/commands", { kind: "run_now", body: {} });
    const latest = async () => (await statuses()).toReversed()[runCount] ?? "none";
    await expect.poll(latest, { timeout: 30_000 }).toMatch(/committed|failed/);
    return [await latest(), ...shop.applied.slice(before).map(({ id }) => id)];
  };
  const letters = ["welcome", "bill", "bob/1", "bob/2", "cleo/1", "cleo/2"];
  expect(await run(lettersScript)).toEqual(["committed", ...letters]);
  const heedless = lettersScript.replaceAll("if (ctx.item.isDone) return;", "");
  expect(await run(heedless)).toEqual(["failed:logic", ...letters]);
  const { out } = await host.holdfast("items", "ls", "letters", "--status", "done", "--json");
  expect(JSON.parse(out).items).toHaveLength(3);
}

const question = "/workflows/orders/attention?status=open";

describe.each(Object.entries(places))("on %s", (_, place) => {
  test("[S42, S43, S44, S45, S46, S47, S48, R93] what an item goes through, as people see it", {
    timeout: 120_000,
  }, async () => {
    const world = await begin(place);
    const { host, shop } = world;
    // The second call of the first order is refused: its first one stays made.
    shop.mood = (applied) => (applied === 1 ? "refuses" : "answers");
    await publishOrders(host, ["o-1"]);
    await world.until("order:o-1 failed 1");
    expect(world.counts("o-1")).toEqual([1, 0, 0]);
    // Mended, it would make its first call with something else in it: that is asked about.
    const mended = itemScript.replace("sum: payload.sum", "sum: payload.sum + 1");
    shop.mood = "answers";
    await deployOrders(host, allowed, [], mended);
    await world.until("order:o-1 needs_attention 1");
    const id = await world.question();
    const path = `/workflows/orders/attention/${id}`;
    const shown = await host.api<Question>("GET", path);
    expect(shown.proposed.differs).toEqual(["body.sum"]);
    const payload = ["--payload", shown.proposed.payloadHash];
    await host.holdfast("answer", "orders", id, "accept_cached", ...payload);
    await world.until("order:o-1 done 1");
    expect(world.counts("o-1")).toEqual([1, 1, 1]);
    await host.holdfast("items", "reprocess", "orders", "order:o-1");
    expect(await world.items()).toEqual(["order:o-1 processing 2"]);
    await host.holdfast("events", "reprocess", "orders", "order.received", "o-1");
    await world.until("order:o-1 done 2");
    expect(world.counts("o-1")).toEqual([2, 2, 2]);
    const told = await host.holdfast("items", "show", "orders", "order:o-1");
    expect(told.out).toContain("Attempt 2 (version 1.1)");
    expect(told.out).toContain("Attempt 1 (version 1.0, 1.1)");
    await editAndApprove(world);
    await writeLetters(world);
    const skipped = await host.holdfast("items", "skip", "orders", "order:o-1");
    expect(skipped.out).toContain("is done");
    expect(await host.holdfast("items", "fresh", "orders", "book")).toMatchObject({ code: 0 });
    const file = join(newFolder(), "orders.ts");
    writeFileSync(file, mended.replace("order:$", "auftrag:$"));
    const minor = await host.holdfast("deploy", file, "--allow", ...allowed);
    expect(minor.out).toContain("makes other item ids or subkeys");
    const major = await host.holdfast("deploy", file, "--allow", ...allowed, "--major");
    expect(major.out).toContain(
      "2 items of book, whose ids it no longer makes (order:o-1, order:o-2)",
    );
  });
});
