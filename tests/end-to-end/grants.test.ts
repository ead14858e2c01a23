import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  HostProcess,
  newFolder,
  type StorePlace,
  verifyFull,
  writeAccounts,
} from "./host-process.ts";
import { OrderShop } from "./order-shop.ts";
import { places } from "./stores.ts";
import { deployOrders, publishOrder, script } from "./story.ts";

const patience = { timeout: 60_000, interval: 20 };

type Question = {
  readonly attentionId: string;
  readonly kind: string;
  readonly note: string;
  readonly call: { readonly approval: { readonly payloadHash: string } } | null;
};

/** A shop, a host that works for it, and whoever started it at the command line. */
class Desk {
  readonly shop: OrderShop;
  host: HostProcess;
  readonly #folder = newFolder();
  readonly #start: () => HostProcess;

  private constructor(shop: OrderShop, store: StorePlace) {
    this.shop = shop;
    const accountsFile = writeAccounts(this.#folder, shop.url);
    this.#start = () => {
      const host = new HostProcess({ store, accountsFile });
      onTestFinished(() => host.kill("SIGKILL"));
      return host;
    };
    this.host = this.#start();
  }

  static async open(store: StorePlace): Promise<Desk> {
    const shop = await OrderShop.start();
    onTestFinished(() => shop.stop());
    return new Desk(shop, store);
  }

  get sums(): readonly unknown[] {
    return this.shop.applied.map(({ sum }) => sum);
  }

  async restart(): Promise<void> {
    await this.host.stop();
    this.host = this.#start();
    await this.host.url;
  }

  /** All grants, as a file. */
  file(...grants: readonly object[]): string {
    const path = join(this.#folder, "grants.json");
    writeFileSync(path, JSON.stringify(grants));
    return path;
  }

  async grant(...grants: readonly object[]): Promise<string> {
    const file = this.file(...grants.map((each) => ({ operation: "shop.post", ...each })));
    const { code, out } = await this.host.holdfast("grants", "set", "orders", "--file", file);
    return `${code} ${out.trim()}`;
  }

  async publish(id: string, sum: number): Promise<void> {
    await publishOrder(this.host, id, { sum });
  }

  async booked(...sums: readonly number[]): Promise<void> {
    await expect.poll(() => this.sums, patience).toEqual(sums);
  }

  /** The one that is open, once there is one of the kind. */
  async question(kind: string, words = ""): Promise<Question> {
    const open = async () => {
      const path = "/workflows/orders/attention?status=open";
      const { items } = await this.host.api<{ items: readonly Question[] }>("GET", path);
      return items.find((each) => each.kind === kind && each.note.includes(words));
    };
    await expect.poll(open, patience).toBeDefined();
    return (await open()) as Question;
  }

  async say(...words: readonly string[]): Promise<string> {
    const { code, out } = await this.host.holdfast(...words);
    return `${code} ${out}`;
  }
}

const small = { say: "allow", where: [{ at: "/body/sum", max: 100 }] };
const ask = { say: "ask" };

describe.each(Object.entries(places))("grants and approvals, on %s", (_, newStore) => {
  test("[R91, S49] what was approved is sent after a restart, and nothing else is", async () => {
    const store = await newStore();
    const desk = await Desk.open(store);
    const source = { entry: "orders.ts", files: { "orders.ts": script } };
    const deployment = { source, allow: ["shop.get"], ask: ["shop.post"] };
    expect(await desk.host.api("POST", "/versions", deployment)).toMatchObject({
      grants: ["+ allow shop.get", "+ ask shop.post"],
      missing: [],
    });
    expect(await desk.grant(small, ask)).toContain("envelope 2 is in force");
    await desk.publish("o-1", 5);
    await desk.booked(5);
    await desk.publish("o-2", 82_000);
    const { attentionId } = await desk.question("approval");
    await desk.restart();
    const card = await desk.say("approve", "orders", attentionId, "--show");
    expect(card).toMatch(/^0 question {4}shop\.post on /);
    expect(card).toContain('parameters  {"ref":"o-2","body":{"id":"o-2","sum":82000}');
    expect(card).toContain("the script calls it  Book order o-2");
    expect(desk.sums).toEqual([5]);
    expect(await desk.say("approve", "orders", attentionId)).toMatch(/^0 /);
    await desk.booked(5, 82_000);
    expect(await desk.say("approve", "orders", attentionId)).toMatch(/^3 .*COMMAND_REFUSED/s);
    await desk.host.stop();
    expect((await verifyFull(store)).out).toContain("nothing differs");
  });

  test("[S50] approved 82,000, executed 820,000: refused, with both shown", async () => {
    const desk = await Desk.open(await newStore());
    await deployOrders(desk.host, []);
    await desk.grant(ask);
    await desk.publish("o-1", 82_000);
    const first = await desk.question("approval");
    const payloadHash = first.call?.approval.payloadHash ?? "";
    desk.shop.mood = "refuses";
    expect(await desk.say("approve", "orders", first.attentionId)).toMatch(/^0 /);
    await desk.question("run_failed");
    desk.shop.mood = "answers";
    const inflated = script.replace("sum: event.payload.sum", "sum: event.payload.sum * 10");
    const source = { entry: "orders.ts", files: { "orders.ts": inflated } };
    await desk.host.api("POST", "/versions", { source });
    const { attentionId } = await desk.question("approval");
    const refused = await desk.say("approve", "orders", attentionId, "--payload", payloadHash);
    expect(refused).toMatch(
      /COMMAND_REFUSED: The question is about .*820000.*; agreed to was .*82000[^0]/,
    );
    expect(await desk.say("approve", "orders", attentionId, "--show")).toContain('"sum":82000}');
    expect(desk.sums).toEqual([]);
    expect(await desk.say("reject", "orders", attentionId, "--then", "skip")).toMatch(/^2 /);
    const reject = ["reject", "orders", attentionId, "--then", "skip", "--reason"];
    expect(await desk.say(...reject, " ")).toMatch(
      /^3 COMMAND_REFUSED: A rejection needs a reason/,
    );
    expect(await desk.say(...reject, "ten times too much")).toMatch(/^0 /);
    await expect.poll(() => desk.say("why", "orders", "o-1"), patience).toMatch(/was rejected by /);
    expect(desk.sums).toEqual([]);
  });

  test("[R86, R84, S52] a grant that is taken back, or used up, holds what waits", async () => {
    const desk = await Desk.open(await newStore());
    await deployOrders(desk.host, []);
    await desk.grant({ say: "allow", limits: [{ per: "day", count: 1 }] });
    await desk.publish("o-1", 1);
    await desk.booked(1);
    await desk.publish("o-2", 2);
    const used = await desk.question("action_needed", "budget");
    expect(used.note).toContain("1 of 1 per day are used up");
    expect(await desk.grant({ say: "allow" })).toContain(
      "~ allow shop.post, up to 1 calls per day → allow shop.post",
    );
    await desk.booked(1, 2);
    await desk.say("brake", "orders");
    await desk.publish("o-3", 3);
    await expect.poll(() => desk.say("why", "orders", "o-3"), patience).toMatch(/brake/);
    await desk.grant({ say: "deny" });
    await desk.say("release-brake", "orders");
    await desk.question("action_needed", "shop.post is denied by grant 1");
    expect(desk.sums).toEqual([1, 2]);
    await desk.grant({ say: "allow" });
    await desk.booked(1, 2, 3);
  });

  test("[R93, S53] who deployed does not approve, who approves does not grant", async () => {
    const desk = await Desk.open(await newStore());
    await deployOrders(desk.host, []);
    await desk.grant({ ...ask, fourEyes: true, expiresAt: "2099-01-01T00:00:00Z" });
    await desk.publish("o-1", 1);
    const { attentionId } = await desk.question("approval");
    const path = `/workflows/orders/attention/${attentionId}`;
    const bare = desk.host.api("POST", path, { answer: "approve" });
    await expect(bare).rejects.toThrow("names the bytes and the preview that were shown");
    const alone = await desk.say("approve", "orders", attentionId);
    expect(alone).toMatch(/whoever deployed the active version may not agree.*COMMAND_REFUSED/s);
    const bob = { name: "bob", role: "operator" };
    const { token } = await desk.host.api<{ token: string }>("POST", "/tokens", bob);
    const asBob = (...words: readonly string[]) =>
      desk.host.holdfastAs({ HOLDFAST_TOKEN: token }, ...words);
    const widened = await asBob("grants", "set", "orders", "--file", desk.file());
    expect(widened).toMatchObject({ code: 3, out: expect.stringContaining("admin") });
    expect(await asBob("approve", "orders", attentionId)).toMatchObject({ code: 0 });
    await desk.booked(1);
    expect(await desk.say("grants", "show", "orders")).toContain(
      "1. ask shop.post, approved by somebody who did not deploy it, until 2099-01-01",
    );
    const file = desk.file({
      operation: "shop.get",
      say: "allow",
      limits: [{ per: "day", count: 1 }],
    });
    expect(await desk.say("grants", "set", "orders", "--file", file)).toContain(
      "reads are not in the ledger, so they cannot be counted",
    );
    const other = desk.file({ operation: "shop.get", say: "allow" });
    expect(await desk.say("grants", "diff", "orders", "--file", other)).toMatch(
      /^0 - ask shop\.post.*\n\+ allow shop\.get\n$/,
    );
    expect(await desk.say("grants", "diff", "orders")).toMatch(/^0 \+ ask shop\.post/);
  });
});
