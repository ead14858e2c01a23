import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { HostProcess, newFolder, type StorePlace, writeAccounts } from "./host-process.ts";
import { OrderShop } from "./order-shop.ts";
import { publishOrder } from "./story.ts";

export const patience = { timeout: 60_000, interval: 20 };

/** Its end is waited for after a crash. */
const leaseMs = "5000";

type Question = {
  readonly attentionId: string;
  readonly kind: string;
  readonly note: string;
  readonly call: { readonly approval: { readonly payloadHash: string } } | null;
};

/** A shop, a host that works for it, and whoever started it at the command line. */
export class Desk {
  readonly shop: OrderShop;
  host: HostProcess;
  readonly #folder = newFolder();
  readonly #start: () => HostProcess;

  private constructor(shop: OrderShop, store: StorePlace, others: readonly string[]) {
    this.shop = shop;
    const accountsFile = writeAccounts(this.#folder, shop.url, {}, others);
    this.#start = () => {
      const environment = {
        HOLDFAST_TOKENS: join(this.#folder, "tokens.json"),
        HOLDFAST_LEASE_MS: leaseMs,
      };
      const host = new HostProcess({ store, accountsFile, environment });
      onTestFinished(() => host.kill("SIGKILL"));
      return host;
    };
    this.host = this.#start();
  }

  static async open(store: StorePlace, others: readonly string[] = []): Promise<Desk> {
    const shop = await OrderShop.start();
    onTestFinished(() => shop.stop());
    return new Desk(shop, store, others);
  }

  get sums(): readonly unknown[] {
    return this.shop.applied.map(({ sum }) => sum);
  }

  async restart(): Promise<void> {
    await this.host.stop();
    await this.startAgain();
  }

  /** Without a chance to put anything in order first. */
  async crash(): Promise<void> {
    this.host.kill("SIGKILL");
    await this.host.ended;
    await this.startAgain();
  }

  /** After the host was stopped. */
  async startAgain(): Promise<void> {
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

  /** A command of the line: how it ended, and what it said. */
  async say(...words: readonly string[]): Promise<string> {
    const { code, out } = await this.host.holdfast(...words);
    return `${code} ${out}`;
  }

  /** Somebody else at the command line. */
  async operator(name: string): Promise<(...words: readonly string[]) => Promise<string>> {
    const asked = { name, role: "operator" };
    const { token } = await this.host.api<{ token: string }>("POST", "/tokens", asked);
    return async (...words) => {
      const { code, out } = await this.host.holdfastAs({ HOLDFAST_TOKEN: token }, ...words);
      return `${code} ${out}`;
    };
  }
}
