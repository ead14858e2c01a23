import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { HostProcess, newFolder, type StorePlace, verifyFull } from "./host-process.ts";
import { LossyShop } from "./lossy-shop.ts";

/** What an account says of its service: it tells repeats, it can be asked, or neither. */
export type Manner = "key" | "lookup" | "neither" | "webhook";

/** As long as the defaults are in proportion, and short enough to wait for. */
const policy = {
  all: {
    reconcileDelayMs: 40,
    reconcileDelayMsMax: 200,
    transientDelayMs: 40,
    transientDelayMsMax: 200,
    hostPauseMsMax: 150,
  },
};

/** Longer than a busy machine lets an answer lie that is there. */
const answerTimeoutMs = 1_500;
const publishedAtOnce = 20;

function accountOf(manner: Manner, url: string): object {
  if (manner === "webhook") {
    const secret = "a secret for tests only";
    const timeoutMs = answerTimeoutMs;
    return { connector: "webhook", url, secret, timeoutMs, allowPrivateAddresses: true };
  }
  const base = {
    connector: "http",
    baseUrl: url,
    allowPrivateAddresses: true,
    timeoutMs: answerTimeoutMs,
  };
  if (manner === "key") {
    const idempotency = { header: "Idempotency-Key", retentionMs: 3_600_000 };
    return { ...base, idempotency };
  }
  if (manner === "neither") return base;
  const lookup = {
    path: "/orders",
    query: { ref: "{key}" },
    sentAs: { field: "ref" },
    match: { "/ref": "{key}" },
    body: { number: "/number" },
    status: 200,
    visibilityDelayMs: 60,
  };
  return { ...base, lookup };
}

/** One order, one call, one event that says what came of it. */
const scriptOf = (call: string, connector: string) => `
  import { workflow } from "@holdfast/sdk";
  export default workflow({
    name: "orders",
    connections: { shop: { connector: "${connector}", account: "shop" } },
    topics: { "order.received": {}, "order.booked": { observed: true } },
    producers: { poll: { manual: true, publishes: ["order.received"], handler: async () => {} } },
    consumers: {
      book: {
        subscribe: ["order.received"],
        publishes: ["order.booked"],
        prepare: async (ctx) => {
          const [event] = await ctx.peek("order.received", { limit: 1 });
          if (!event) return { reservations: [], data: {} };
          const { messageId: id } = event;
          return { reservations: [{ topic: "order.received", ids: [id] }], data: { id } };
        },
        mutate: async (ctx, { data: { id } }) => { await ${call}; },
        next: async (ctx, prepared, { status, result }) => {
          if (status === "none") return;
          const { id: messageId } = prepared.data;
          await ctx.publish("order.booked", { messageId, status, said: result?.body ?? null });
        },
      },
    },
  });`;

type Items<T> = { readonly items: readonly T[] };
type Question = {
  readonly attentionId: string;
  readonly kind: string;
  readonly subject: string | null;
  readonly answers: readonly string[];
};
type Run = { readonly status: string; readonly reason: string | null };

/** The shipped program, one workflow, and a shop that loses things. */
export class LossyWorld {
  readonly shop: LossyShop;
  readonly store: StorePlace;
  host: HostProcess;
  readonly #start: () => HostProcess;
  readonly #source: { readonly entry: string; readonly files: Readonly<Record<string, string>> };
  readonly #allow: readonly string[];

  private constructor(
    parts: { shop: LossyShop; store: StorePlace; manner: Manner },
    start: () => HostProcess,
  ) {
    this.shop = parts.shop;
    this.store = parts.store;
    this.#start = start;
    this.host = start();
    const isWebhook = parts.manner === "webhook";
    const call = isWebhook
      ? `ctx.shop.send({ event: "order", data: { id }, ref: id })`
      : `ctx.shop.post({ path: "/orders", body: { id }, ref: id })`;
    const text = scriptOf(call, isWebhook ? "webhook" : "http");
    this.#source = { entry: "orders.ts", files: { "orders.ts": text } };
    this.#allow = [isWebhook ? "shop.send" : "shop.post"];
  }

  static async open(store: StorePlace, manner: Manner): Promise<LossyWorld> {
    const shop = await LossyShop.start();
    onTestFinished(() => shop.stop());
    shop.tellsRepeats = manner === "key";
    const folder = newFolder();
    const [accountsFile, policyFile] = [join(folder, "accounts.json"), join(folder, "policy.json")];
    writeFileSync(accountsFile, JSON.stringify({ shop: accountOf(manner, shop.url) }));
    writeFileSync(policyFile, JSON.stringify(policy));
    const environment = { HOLDFAST_POLICY: policyFile, HOLDFAST_LEASE_MS: "3000" };
    const world = new LossyWorld({ shop, store, manner }, () => {
      const host = new HostProcess({ store, accountsFile, environment });
      onTestFinished(() => host.kill("SIGKILL"));
      return host;
    });
    await world.deploy();
    return world;
  }

  /** Again, it is a minor version that does the same. */
  async deploy(comment = ""): Promise<void> {
    const { entry, files } = this.#source;
    const source = { entry, files: { [entry]: `${files[entry]}\n// ${comment}` } };
    await this.host.api("POST", "/versions", { source, allow: this.#allow });
  }

  async restart(): Promise<void> {
    await this.host.stop();
    this.host = this.#start();
    await this.host.url;
  }

  /** Without a chance to put anything in order first. */
  async crash(): Promise<void> {
    this.host.kill("SIGKILL");
    await this.host.ended;
    this.host = this.#start();
    await this.host.url;
  }

  async ask(kind: string, body: object = {}): Promise<void> {
    await this.host.api("POST", "/workflows/orders/commands", { kind, body });
  }

  async publish(...ids: readonly string[]): Promise<void> {
    for (let from = 0; from < ids.length; from += publishedAtOnce) {
      const some = ids.slice(from, from + publishedAtOnce);
      await Promise.all(
        some.map((messageId) => {
          const event = { topic: "order.received", messageId, payload: {}, title: null };
          return this.ask("publish_event", event);
        }),
      );
    }
  }

  async questions(): Promise<readonly Question[]> {
    const path = "/workflows/orders/attention?status=open";
    return (await this.host.api<Items<Question>>("GET", path)).items;
  }

  async openRuns(): Promise<readonly Run[]> {
    const path = "/workflows/orders/runs?status=open";
    return (await this.host.api<Items<Run>>("GET", path)).items;
  }

  /** Until so many orders have come to their end, whatever it was. */
  async settled(count: number): Promise<void> {
    await this.soon(async () => {
      if (this.shop.requests.length < count) return false;
      const path = "/workflows/orders/outputs?status=event&limit=500";
      const { items } = await this.host.api<Items<unknown>>("GET", path);
      return items.length === count && (await this.openRuns()).length === 0;
    });
  }

  async question(): Promise<Question> {
    await this.soon(async () => (await this.questions()).length > 0);
    const [question] = await this.questions();
    if (question === undefined) throw new Error("the question is gone");
    return question;
  }

  async answer({ attentionId }: Question, ...words: readonly string[]) {
    return this.host.holdfast("answer", "orders", attentionId, ...words);
  }

  async soon(isSo: () => boolean | Promise<boolean>): Promise<void> {
    await expect.poll(isSo, { timeout: 60_000, interval: 50 }).toBe(true);
  }

  async end(): Promise<void> {
    await this.host.stop();
    expect((await verifyFull(this.store)).out).toContain("nothing differs");
  }
}
