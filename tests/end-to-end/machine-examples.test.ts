/** The examples of machines as they are, on the shipped program, against services over TCP. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { HostProcess, newFolder, type StorePlace, verifyFull } from "./host-process.ts";
import { places } from "./stores.ts";
import { Town } from "./town.ts";

const timings = { reconcileDelayMs: 40, reconcileDelayMsMax: 200, hostPauseMsMax: 150 };

/** How the stock lets others find out, beside saying 503 when it has nothing. */
const stocks = {
  "a lookup": { lookup: lookupOf("/reservations", { parcel: "/parcel" }) },
  "503 as proof": { provesNotDone: [503] },
  neither: {},
} as const;

function lookupOf(path: string, body: Readonly<Record<string, string>>) {
  const found = { sentAs: { field: "ref" }, match: { "/ref": "{key}" }, visibilityDelayMs: 60 };
  return { path, query: { ref: "{key}" }, ...found, body, status: 200 };
}

/** The shipped program with one example. */
class ExampleHost {
  readonly town: Town;
  readonly #workflow: string;
  readonly #start: () => HostProcess;
  readonly store: StorePlace;
  host: HostProcess;

  private constructor(parts: {
    readonly town: Town;
    readonly workflow: string;
    readonly store: StorePlace;
    readonly start: () => HostProcess;
  }) {
    this.town = parts.town;
    this.store = parts.store;
    this.#workflow = parts.workflow;
    this.#start = parts.start;
    this.host = parts.start();
  }

  static async open(
    store: StorePlace,
    { workflow, stock = {} }: { readonly workflow: string; readonly stock?: object },
  ): Promise<ExampleHost> {
    const town = await Town.start();
    const folder = newFolder();
    const [accountsFile, policyFile] = [join(folder, "accounts.json"), join(folder, "policy.json")];
    const account = (name: string, more: object = {}) => ({
      ...{ connector: "http", baseUrl: `${town.url}/${name}`, allowPrivateAddresses: true },
      ...{ timeoutMs: 2_000, ...more },
    });
    const bank = { lookup: lookupOf("/charges", { chargeId: "/chargeId" }) };
    const accounts = {
      site: account("site"),
      carrier: account("carrier"),
      bank: account("bank", bank),
      stock: account("stock", stock),
    };
    writeFileSync(accountsFile, JSON.stringify(accounts));
    writeFileSync(policyFile, JSON.stringify({ all: timings }));
    const environment = { HOLDFAST_POLICY: policyFile, HOLDFAST_LEASE_MS: "2000" };
    const start = () => new HostProcess({ store, accountsFile, environment });
    const world = new ExampleHost({ town, workflow, store, start });
    onTestFinished(async () => {
      world.host.kill("SIGKILL");
      await town.stop();
    });
    return world;
  }

  async deploy(example: string, ...allowed: readonly string[]): Promise<void> {
    const file = fileURLToPath(new URL(`../../examples/machines/${example}.ts`, import.meta.url));
    const grants = allowed.flatMap((each) => ["--allow", each]);
    expect(await this.host.holdfast("deploy", file, ...grants)).toMatchObject({ code: 0 });
  }

  /** Dies, and another one goes on. */
  async crash(): Promise<void> {
    this.host.kill("SIGKILL");
    await this.host.ended;
    this.host = this.#start();
  }

  async publish(topic: string, messageId: string, payload: object): Promise<void> {
    const body = { topic, messageId, payload };
    const path = `/workflows/${this.#workflow}/commands`;
    await this.host.api("POST", path, { kind: "publish_event", body });
  }

  async cell<T>(machine: string, key?: string): Promise<T | null> {
    const of = key === undefined ? "" : `&key=${encodeURIComponent(JSON.stringify(key))}`;
    const path = `/workflows/${this.#workflow}/machines/state?machine=${machine}${of}`;
    const cell = await this.host.api<{ state: T }>("GET", path).catch(() => null);
    return cell?.state ?? null;
  }

  async soon(isSo: () => boolean | Promise<boolean>): Promise<void> {
    await vi.waitUntil(isSo, { timeout: 30_000, interval: 50 });
  }

  async inPhase(phase: string, machine: string, key?: string): Promise<void> {
    const now = () => this.cell<{ readonly phase: string }>(machine, key);
    await this.soon(async () => (await now())?.phase === phase);
  }

  async questions(): Promise<readonly { readonly attentionId: string; readonly kind: string }[]> {
    const path = `/workflows/${this.#workflow}/attention?status=open`;
    type Open = { items: { attentionId: string; kind: string }[] };
    return (await this.host.api<Open>("GET", path)).items;
  }

  /** The journal runs again to the byte, and the tables are its fold. */
  async end(): Promise<void> {
    const { code, out } = await this.host.holdfast("machine", "replay", this.#workflow, "--json");
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ ok: true });
    await this.host.stop();
    await verifyFull(this.store);
  }
}

describe.each(Object.entries(places))("chain-comp on %s", (_, newPlace) => {
  test.each(Object.entries(stocks))(
    "[M.P-8] [M.F-8] charged, not reserved, refunded once; the stock has %s",
    async (has, stock) => {
      const it = await ExampleHost.open(await newPlace(), { workflow: "orders", stock });
      await it.deploy("chain-comp", "bank.post", "stock.post");
      it.town.isSoldOut = true;
      it.town.holdsCharges = true;
      await it.publish("order.placed", "o-1", { orderId: "o-1", amountCents: 500 });
      await it.soon(() => it.town.done("/bank/charges").length === 1);
      it.town.holdsCharges = false;
      await it.crash();
      if (has === "neither") {
        await it.soon(async () => (await it.questions()).length === 1);
        const [question] = await it.questions();
        expect(question?.kind).toBe("outcome_unknown");
        expect(it.town.done("/bank/refunds")).toEqual([]);
        const answer = ["answer", "orders", question?.attentionId ?? "", "did_not_happen"];
        expect(await it.host.holdfast(...answer)).toMatchObject({ code: 0 });
      }
      await it.inPhase("Refunded", "order", "o-1");
      expect(it.town.deeds.map(({ path }) => path)).toEqual(["/bank/charges", "/bank/refunds"]);
      expect(await it.questions()).toEqual([]);
      await it.end();
    },
  );
});

describe("on the shipped program", () => {
  const open = async (workflow: string) => ExampleHost.open(await places.SQLite(), { workflow });

  test("[M.I-4] [M.P-5] approval-gate goes on with what was open when its host died", async () => {
    const it = await open("gate");
    await it.deploy("approval-gate", "site.get");
    for (const workId of ["1", "2"]) await it.publish("work.start", workId, { workId });
    await it.inPhase("Asked", "work", "2");
    await it.publish("work.approved", "a-2", { workId: "2" });
    await it.crash();
    await it.inPhase("Done", "work", "2");
    expect(await it.cell("work", "1")).toMatchObject({ isApproved: false });
    expect(it.town.looks).not.toContain("/site/1/do");
    await it.publish("work.approved", "a-1", { workId: "1" });
    await it.inPhase("Done", "work", "1");
    await it.end();
  });

  test("[M.P-8] retry-backoff tries as often as its steps say, and no more", async () => {
    const it = await open("retries");
    await it.deploy("retry-backoff", "site.get");
    it.town.failures = 2;
    await it.publish("retry.start", "1", { path: "/flaky" });
    await it.inPhase("Done", "caller");
    expect(await it.cell("caller")).toMatchObject({ attempt: 3, timers: 2 });
    expect(it.town.looks).toHaveLength(3);
    await it.end();
  });

  test("choreography ships each order once", async () => {
    const it = await open("shipping");
    await it.deploy("choreography", "carrier.post");
    for (const messageId of ["1", "2"]) {
      await it.publish("order.placed", messageId, { orderId: "o-1" });
    }
    await it.inPhase("Sent", "parcel", "o-1");
    await it.soon(async () => (await it.cell<{ shipped: number }>("orders"))?.shipped === 1);
    expect(it.town.deeds).toHaveLength(1);
    await it.end();
  });

  test("fetch-notify keeps what the site answered", async () => {
    const it = await open("fetch");
    await it.deploy("fetch-notify", "site.get");
    await it.publish("fetch.start", "1", { path: "/a" });
    await it.inPhase("Done", "notify");
    expect(await it.cell("notify")).toMatchObject({ path: "/a", body: '{"path":"/site/a"}' });
    await it.end();
  });

  test("aggregator joins what was asked at once", async () => {
    const it = await open("aggregate");
    await it.deploy("aggregator", "site.get");
    await it.publish("aggregate.start", "1", { paths: ["/a", "/b", "/c"] });
    type Joined = { readonly result: readonly number[] };
    await it.soon(async () => (await it.cell<Joined>("aggregator"))?.result.length === 3);
    expect(it.town.looks.toSorted()).toEqual(["/site/a", "/site/b", "/site/c"]);
    await it.end();
  });

  test("[M.E-2] counter counts down and is done", async () => {
    const it = await open("counter");
    await it.deploy("counter");
    await it.publish("counter.start", "s", { target: 2 });
    for (const tick of ["1", "2"]) await it.publish("counter.tick", tick, {});
    type Counted = { readonly phase: { readonly $tag: string } };
    await it.soon(async () => (await it.cell<Counted>("counter"))?.phase.$tag === "Done");
    await it.end();
  });

  test("[M.E-3] hello-timer waits for a time", async () => {
    const it = await open("hello");
    await it.deploy("hello-timer");
    await it.publish("hello.start", "1", { afterMs: 10 });
    await it.inPhase("Done", "timer");
    await it.end();
  });
});

describe.each(Object.entries(places))("a read that a person has to let through, on %s", (_, at) => {
  test("[R84] [R110] waits for a grant, and for an account that is mended", async () => {
    const it = await ExampleHost.open(await at(), { workflow: "fetch" });
    await it.deploy("fetch-notify");
    it.town.isSignedOut = true;
    await it.publish("fetch.start", "f-1", { path: "/a" });
    const asked = async () => (await it.questions()).length === 1;
    await it.soon(asked);
    expect(it.town.looks).toEqual([]);
    expect((await it.host.holdfast("why", "fetch")).out).toContain("site.get was not allowed");
    const grants = newFolder();
    const file = join(grants, "grants.json");
    writeFileSync(file, JSON.stringify([{ operation: "site.get", say: "allow" }]));
    expect(await it.host.holdfast("grants", "set", "fetch", "--file", file)).toMatchObject({
      code: 0,
    });
    await it.soon(() => it.town.looks.length === 1);
    const why = async () => (await it.host.holdfast("why", "fetch")).out;
    await it.soon(async () => (await why()).includes("auth:"));
    // Said too early: the same question once more.
    const [question] = await it.questions();
    await it.host.holdfast("answer", "fetch", question?.attentionId ?? "", "resume");
    await it.soon(() => it.town.looks.length === 2);
    await it.soon(async () => (await why()).includes("auth:"));
    it.town.isSignedOut = false;
    const mended = await it.host.api<{ items: readonly object[] }>(
      "POST",
      "/accounts/site/resume",
      {},
    );
    expect(mended.items).toMatchObject([{ workflow: "fetch", accepted: true }]);
    await it.inPhase("Done", "notify");
    expect(await it.questions()).toEqual([]);
    await it.end();
  });
});
