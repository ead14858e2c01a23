import { createHash, randomBytes } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { allText } from "@holdfast/store/testing/postgres";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  HostProcess,
  newFolder,
  runOffline,
  type StorePlace,
  seal,
  writeAccounts,
} from "./host-process.ts";
import { places } from "./stores.ts";

const script = readFileSync(new URL("./machine-secrets.ts.txt", import.meta.url), "utf8");
const secret = "s3cr3t-key-of-the-crm";
const digest = `sha256:${createHash("sha256").update(secret).digest("hex")}`;
const environment = { HOLDFAST_KEY: randomBytes(32).toString("base64url") };

/** A service that says back what it was sent. */
async function echo() {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    const key = String(request.headers["x-key"]);
    seen.push(`${request.method} ${request.url} ${key}`);
    response.setHeader("content-type", "application/json").end(JSON.stringify({ key }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** The shipped program, with secrets as a file has them. */
class SecretHost {
  readonly #store: StorePlace;
  readonly #folder = newFolder();
  readonly #accountsFile: string;
  #host: HostProcess | null = null;

  constructor(store: StorePlace, serviceUrl: string) {
    this.#store = store;
    this.#accountsFile = writeAccounts(this.#folder, serviceUrl);
    onTestFinished(() => this.host.kill("SIGKILL"));
  }

  get host(): HostProcess {
    if (this.#host === null) throw new Error("it was not started");
    return this.#host;
  }

  /** Whatever ran before is killed. */
  async startWith(secrets: object): Promise<void> {
    this.#host?.kill("SIGKILL");
    await this.#host?.ended;
    const file = join(this.#folder, "secrets.json");
    writeFileSync(file, JSON.stringify(secrets));
    const [store, accountsFile] = [this.#store, this.#accountsFile];
    const more = { ...environment, HOLDFAST_SECRETS: file, HOLDFAST_LEASE_MS: "2000" };
    this.#host = new HostProcess({ store, accountsFile, environment: more });
  }

  async deploy() {
    const file = join(this.#folder, "crm.ts");
    writeFileSync(file, script.replace("DIGEST", digest));
    return this.host.holdfast("deploy", file, "--allow", "shop.get", "--ask", "shop.post");
  }

  async wish(id: string, given: { secret?: string; reads?: boolean } = {}): Promise<void> {
    const payload = { id, secret: "crm", reads: false, ...given };
    const body = { topic: "wished", messageId: id, payload };
    await this.host.api("POST", "/workflows/crm/commands", { kind: "publish_event", body });
  }

  /** What the cell says, once it has heard of it. */
  async heard(id: string): Promise<string> {
    const key = encodeURIComponent(`"${id}"`);
    const path = `/workflows/crm/machines/state?machine=ask&key=${key}`;
    const state = async () =>
      this.host.api<{ state: string }>("GET", path).then(
        (cell) => cell.state,
        () => "asked",
      );
    await vi.waitUntil(async () => (await state()) !== "asked", { timeout: 60_000, interval: 50 });
    return state();
  }

  /** That a person is asked about one call; the answer is what agrees to it. */
  async asked(): Promise<string> {
    const said = async () => (await this.host.holdfast("approve-all", "shop.post")).out;
    await vi.waitUntil(async () => (await said()).includes("--these"), { timeout: 60_000 });
    return /--these (\w+)/.exec(await said())?.[1] ?? "";
  }

  async approve(): Promise<void> {
    const agreed = await this.host.holdfast(
      "approve-all",
      "shop.post",
      "--these",
      await this.asked(),
    );
    expect(agreed).toMatchObject({ code: 0 });
  }
}

/** Everything that lies in the store, as text and in hexadecimal digits. */
async function contentOf(store: StorePlace): Promise<string> {
  if (store.kind === "sqlite") {
    const files = readdirSync(store.folder, { recursive: true, withFileTypes: true });
    const bytes = files
      .filter((file) => file.isFile())
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "latin1"));
    return bytes.join("\n");
  }
  return allText(store.url);
}

function hexOf(text: string): string {
  return Buffer.from(text).toString("hex");
}

describe.each(Object.entries(places))("secrets in calls of machines, on %s", (_, newStore) => {
  test("[M.E-11] a name goes everywhere, what it stands for to the service alone", async () => {
    const store = await newStore();
    const service = await echo();
    const world = new SecretHost(store, service.url);
    const binding = {
      value: await seal(store, secret, environment.HOLDFAST_KEY),
      accounts: ["shop"],
    };
    await world.startWith({});
    expect((await world.deploy()).out).toContain("the secret crm needs the binding crm-key");
    await world.startWith({ "crm-key": binding });
    expect(await world.deploy()).toMatchObject({ code: 0 });
    await world.wish("read", { reads: true });
    expect(await world.heard("read")).toContain("(hidden)");
    await world.wish("change");
    await world.asked();
    // Open over a restart: the next host resolves it anew.
    await world.startWith({ "crm-key": binding });
    await world.approve();
    expect(await world.heard("change")).toContain("(hidden)");
    expect(service.seen).toEqual([`GET /read ${secret}`, `POST /change ${secret}`]);

    await world.wish("undeclared", { secret: "other" });
    expect(await world.heard("undeclared")).toContain("is not declared");
    await world.wish("late");
    await world.asked();
    await world.startWith({ "crm-key": { ...binding, value: "quite another key" } });
    await world.approve();
    expect(await world.heard("late")).toContain("digest");
    await world.startWith({});
    await world.wish("unbound", { reads: true });
    expect(await world.heard("unbound")).toContain("no binding crm-key");
    expect(service.seen).toHaveLength(2);

    const { host } = world;
    const told = await Promise.all([
      host.holdfast("machine", "journal", "crm", "--json"),
      host.holdfast("machine", "timeline", "crm", "ask", "--cell", '"change"', "--json"),
      host.holdfast("outputs", "--json"),
      host.holdfast("runs", "crm", "--json"),
    ]);
    const all = JSON.stringify(told) + host.output.join("");
    expect(all).toContain("secretHeaders");
    expect(all).not.toContain(secret);
    expect(await host.holdfast("machine", "replay", "crm")).toMatchObject({ code: 0 });
    await host.stop();
    const kept = await contentOf(store);
    expect(kept.includes("secretHeaders") || kept.includes(hexOf("secretHeaders"))).toBe(true);
    expect(kept.includes(secret) || kept.includes(hexOf(secret))).toBe(false);
    expect(await runOffline(store, "verify", "--full")).toMatchObject({ code: 0 });
  });
});
