import { type ChildProcess, spawn } from "node:child_process";
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { http } from "@holdfast/connectors";
import type { ReceiptAnswer, ReceiptRequest, TakeAnswer } from "@holdfast/protocol";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { keyIdOf, perform, post, receiptFor, type Work } from "./executor-kit.ts";
import { HostProcess, newFolder, type StorePlace } from "./host-process.ts";
import { script } from "./machine-host.ts";
import { OrderShop } from "./order-shop.ts";
import { places } from "./stores.ts";

const program = fileURLToPath(new URL("./executor-process.ts", import.meta.url));
const fetching = fileURLToPath(new URL("../../examples/machines/fetch-notify.ts", import.meta.url));
const timings = { hostPauseMsMax: 150, reconcileDelayMs: 40, reconcileDelayMsMax: 200 };

type Pair = { readonly secret: KeyObject; readonly listed: string; readonly file: string };

/** A host that executes nothing of `http` itself, and a shop that counts. */
class Remote {
  readonly shop: OrderShop;
  readonly #folder = newFolder();
  readonly #options: { readonly store: StorePlace; readonly accountsFile: string };
  readonly #environment: Readonly<Record<string, string>>;
  host: HostProcess;
  token = "";

  private constructor(shop: OrderShop, store: StorePlace, keys: (folder: string) => object) {
    this.shop = shop;
    const accountsFile = join(this.#folder, "accounts.json");
    const { account } = this;
    writeFileSync(accountsFile, JSON.stringify({ shop: account, site: account }));
    const policyFile = join(this.#folder, "policy.json");
    writeFileSync(policyFile, JSON.stringify({ all: timings }));
    const config = join(this.#folder, "holdfast.config.ts");
    this.#options = { store, accountsFile };
    const tokens = join(this.#folder, "tokens.json");
    const own = { HOLDFAST_CONFIG: config, HOLDFAST_TOKENS: tokens, HOLDFAST_POLICY: policyFile };
    this.#environment = { ...own, HOLDFAST_LEASE_MS: "2000" };
    this.list(keys(this.#folder));
    this.host = this.#start();
  }

  static async open(store: StorePlace, keys: (folder: string) => object): Promise<Remote> {
    const remote = new Remote(await OrderShop.start(), store, keys);
    onTestFinished(async () => {
      remote.host.kill("SIGKILL");
      await remote.host.ended;
      await remote.shop.stop();
    });
    remote.token = await remote.newToken("runner", "executor");
    const file = join(remote.#folder, "orders.ts");
    writeFileSync(file, script);
    const deployed = await remote.host.holdfast("deploy", file, "--allow", "shop.post");
    expect(deployed).toMatchObject({ code: 0 });
    return remote;
  }

  get account() {
    const timeoutMs = 1_500;
    return { connector: "http", baseUrl: this.shop.url, allowPrivateAddresses: true, timeoutMs };
  }

  get connected() {
    return http.connect("shop", this.account);
  }

  async newToken(name: string, role: string): Promise<string> {
    const made = await this.host.api<{ token: string }>("POST", "/tokens", { name, role });
    return made.token;
  }

  newPair(name: string): Pair {
    return newPair(this.#folder, name);
  }

  list(executors: object): void {
    const config = join(this.#folder, "holdfast.config.ts");
    writeFileSync(config, `export default ${JSON.stringify({ executors })};`);
  }

  #start(): HostProcess {
    return new HostProcess({ ...this.#options, environment: this.#environment });
  }

  async again(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    this.host.kill(signal);
    await this.host.ended;
    this.host = this.#start();
  }

  async executor(pair: Pair, more: Readonly<Record<string, string>> = {}): Promise<Executor> {
    const env = {
      EXECUTOR_URL: await this.host.url,
      EXECUTOR_TOKEN: this.token,
      EXECUTOR_KEY: pair.file,
      EXECUTOR_ACCOUNT: JSON.stringify(this.account),
    };
    return new Executor({ ...process.env, ...env, ...more });
  }

  async publish(id: string): Promise<void> {
    const body = { topic: "order.received", messageId: id, payload: { id, sum: 5 } };
    await this.host.api("POST", "/workflows/orders/commands", { kind: "publish_event", body });
  }

  async reaches(id: string, phase: string): Promise<void> {
    const key = encodeURIComponent(`"${id}"`);
    const path = `/workflows/orders/machines/state?machine=order&key=${key}`;
    const look = () => this.host.api<{ state: { phase: string } }>("GET", path);
    const isThere = async () => (await look().catch(() => null))?.state.phase === phase;
    await vi.waitUntil(isThere, { timeout: 60_000, interval: 50 });
  }

  async take(waitMs = 20_000): Promise<Work | null> {
    const place = { url: await this.host.url, token: this.token };
    const { body } = await post<TakeAnswer>(place, "http/take", { waitMs });
    return body.work;
  }

  async bring(receipt: object, token = this.token) {
    const place = { url: await this.host.url, token };
    const said = await post<Partial<ReceiptAnswer & { code: string }>>(
      place,
      "http/receipts",
      receipt,
    );
    return said.body.code ?? said.body.outcome;
  }

  /** Of the receipts, in the order of the journal. */
  async signers(): Promise<readonly string[]> {
    const { out } = await this.host.holdfast("machine", "journal", "orders", "--json");
    return [...out.matchAll(/"(?:key_id|keyId)":"([^"]+)"/g)].map(([, id]) => id ?? "");
  }

  async replays(): Promise<void> {
    expect(await this.host.holdfast("machine", "replay", "orders")).toMatchObject({ code: 0 });
  }

  async questions() {
    type Asked = { readonly items: readonly { readonly attentionId: string }[] };
    return (await this.host.api<Asked>("GET", "/attention")).items;
  }
}

class Executor {
  readonly child: ChildProcess;
  readonly #said: string[] = [];

  constructor(env: NodeJS.ProcessEnv) {
    this.child = spawn(process.execPath, [program], { env, stdio: "pipe" });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.setEncoding("utf8").on("data", (chunk: string) => this.#said.push(chunk));
    }
    onTestFinished(() => {
      this.child.kill("SIGKILL");
    });
  }

  async says(words: RegExp): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const look = () => words.test(this.#said.join("")) && resolve();
    this.child.stdout?.on("data", look);
    const ended = () => reject(new Error(`it never said ${words}: ${this.#said.join("")}`));
    void once(this.child, "close").then(ended);
    look();
    return promise;
  }

  tell(line: string): void {
    this.child.stdin?.write(`${line}\n`);
  }
}

function newPair(folder: string, name: string): Pair {
  const { publicKey, privateKey: secret } = generateKeyPairSync("ed25519");
  const file = join(folder, name);
  writeFileSync(file, secret.export({ format: "pem", type: "pkcs8" }));
  const listed = publicKey.export({ format: "der", type: "spki" }).toString("base64");
  return { secret, listed, file };
}

const runner = (...pairs: readonly Pair[]) => ({
  http: { publicKeys: pairs.map(({ listed }) => listed), tokens: ["runner"] },
});

/** The same, and the host executes another connector itself. */
const withMail = (pair: Pair, mail: Pair) => ({
  ...runner(pair),
  mail: { publicKeys: [mail.listed], keyFile: mail.file },
});

async function open(newStore: () => Promise<StorePlace>) {
  const made: Pair[] = [];
  const remote = await Remote.open(await newStore(), (folder) => {
    made.push(newPair(folder, "one.pem"));
    return runner(...made);
  });
  const [pair] = made;
  if (pair === undefined) throw new Error("there is a key");
  return { remote, pair };
}

describe.each(Object.entries(places))("an executor in another process, on %s", (_, newStore) => {
  test("[M.V-12] signs each; a receipt that outlives its host is a late answer", async () => {
    const { remote, pair } = await open(newStore);
    const first = await remote.executor(pair);
    await first.says(/asks/);
    await remote.publish("o-1");
    await remote.reaches("o-1", "Booked");
    expect(await remote.signers()).toEqual([keyIdOf(pair.secret)]);
    first.child.kill("SIGKILL");
    const second = await remote.executor(pair, { HOLD: "1" });
    await remote.publish("o-2");
    await second.says(/made/);
    await remote.again("SIGKILL");
    // The shop cannot be asked, and what was handed out is not handed out again.
    await vi.waitUntil(async () => (await remote.questions()).length === 1, { timeout: 60_000 });
    expect(await remote.take(0)).toBeNull();
    second.tell(await remote.host.url);
    await second.says(/"outcome":"late"/);
    await remote.reaches("o-2", "Booked");
    expect(await remote.questions()).toEqual([]);
    const counts = [...remote.shop.counts];
    expect(counts).toEqual([
      ["o-1", 1],
      ["o-2", 1],
    ]);
    // What a late answer led to is the host's word: the ledger has the executor's.
    const [own, hosts] = await remote.signers();
    expect([own, hosts === own]).toEqual([keyIdOf(pair.secret), false]);
    await remote.replays();
  });
});

async function takeOne(remote: Remote, id: string): Promise<Work> {
  await remote.publish(id);
  const work = await remote.take();
  if (work === null) throw new Error("there was nothing to take");
  return work;
}

test("[M.V-12] what the executor did not sign is refused, each by its code", async () => {
  const { remote, pair } = await open(places.SQLite);
  const [stranger, mail] = [remote.newPair("stranger.pem"), remote.newPair("mail.pem")];
  remote.list(withMail(pair, mail));
  await remote.again("SIGTERM");
  const work = await takeOne(remote, "o-1");
  const result = await perform(remote.connected, work);
  const said = { status: "ok", result } as const;
  const good = receiptFor(remote.connected, work, { said, secret: pair.secret });
  const forged = receiptFor(remote.connected, work, { said, secret: stranger.secret });
  const mails = receiptFor(remote.connected, work, { said, secret: mail.secret });
  const error = { status: "error", class: "logic", message: "no" } as const;
  const { result: _, ...heading } = good as ReceiptRequest & { result: unknown };
  const refused: readonly [object, string][] = [
    [{ ...good, result: { status: 201, body: { number: 99 } } }, "RECEIPT_SIGNATURE_WRONG"],
    [{ ...heading, ...error }, "RECEIPT_SIGNATURE_WRONG"],
    [{ ...forged, keyId: good.keyId }, "RECEIPT_SIGNATURE_WRONG"],
    [forged, "RECEIPT_KEY_UNLISTED"],
    [mails, "RECEIPT_KEY_OF_ANOTHER"],
    [{ ...good, intent: "0".repeat(64) }, "RECEIPT_INTENT_UNKNOWN"],
    [{ ...good, handout: "m-99/1" }, "RECEIPT_INTENT_UNKNOWN"],
    [{ ...good, workflow: "others" }, "RECEIPT_INSTANCE_WRONG"],
    [{ ...good, store: "another" }, "RECEIPT_INSTANCE_WRONG"],
    [{ ...good, signature: "AAAA" }, "REQUEST_INVALID"],
    [heading, "REQUEST_INVALID"],
  ];
  for (const [receipt, code] of refused) {
    expect([code, await remote.bring(receipt)]).toEqual([code, code]);
  }
  const admin = await remote.newToken("anna", "admin");
  expect(await remote.bring(good, admin)).toBe("ROLE_TOO_LOW");
  const other = await remote.newToken("other", "executor");
  expect(await remote.bring(good, other)).toBe("EXECUTOR_REFUSED");
  expect(await remote.bring(good)).toBe("settled");
  await remote.reaches("o-1", "Booked");
  expect(await remote.bring(good)).toBe("settled");
  const later = { ...error, message: "another" };
  const contrary = receiptFor(remote.connected, work, { said: later, secret: pair.secret });
  expect(await remote.bring(contrary)).toBe("RECEIPT_CONFLICT");
  // The same to a host that did not hand it out.
  await remote.again("SIGTERM");
  expect(await remote.bring(good)).toBe("settled");
  expect(await remote.bring(contrary)).toBe("RECEIPT_CONFLICT");
  expect(await remote.bring(forged)).toBe("RECEIPT_KEY_UNLISTED");
  expect(await remote.bring(mails)).toBe("RECEIPT_KEY_OF_ANOTHER");
  expect([...remote.shop.counts]).toEqual([["o-1", 1]]);
  await remote.replays();
});

test("[M.V-12] silence after a change is a question, and never a second handout", async () => {
  const { remote, pair } = await open(places.SQLite);
  const work = await takeOne(remote, "o-1");
  expect(await remote.take(0)).toBeNull();
  await vi.waitUntil(async () => (await remote.questions()).length === 1, { timeout: 60_000 });
  expect(await remote.take(0)).toBeNull();
  // Nothing was done, says the executor at last: that is kept, and a person decides.
  const said = { status: "error", class: "logic", message: "too late" } as const;
  const late = receiptFor(remote.connected, work, { said, secret: pair.secret });
  expect(await remote.bring(late)).toBe("late");
  expect(await remote.questions()).toHaveLength(1);
  expect([...remote.shop.counts]).toEqual([]);
});

test("[M.V-12] nothing was done: the step hears it in the executor's words", async () => {
  const { remote, pair } = await open(places.SQLite);
  const work = await takeOne(remote, "o-1");
  const said = { status: "error", class: "logic", message: "sold out" } as const;
  const receipt = receiptFor(remote.connected, work, { said, secret: pair.secret });
  expect(await remote.bring(receipt)).toBe("settled");
  await remote.reaches("o-1", "Failed");
  expect(await remote.signers()).toEqual([keyIdOf(pair.secret)]);
  await remote.replays();
});

test("[M.V-12] keys are replaced: a removed one counts no more, replay knows it", async () => {
  const { remote, pair } = await open(places.SQLite);
  const next = remote.newPair("two.pem");
  const book = async (id: string, { secret }: Pair) => {
    const work = await takeOne(remote, id);
    const said = { status: "ok", result: await perform(remote.connected, work) } as const;
    const outcome = await remote.bring(receiptFor(remote.connected, work, { said, secret }));
    return { work, said, outcome };
  };
  expect((await book("o-1", pair)).outcome).toBe("settled");
  remote.list(runner(pair, next));
  await remote.again("SIGTERM");
  expect((await book("o-2", next)).outcome).toBe("settled");
  expect((await book("o-3", pair)).outcome).toBe("settled");
  await remote.reaches("o-3", "Booked");
  remote.list(runner(next));
  await remote.again("SIGTERM");
  const { work, said, outcome } = await book("o-4", pair);
  expect(outcome).toBe("RECEIPT_KEY_UNLISTED");
  const { secret } = next;
  expect(await remote.bring(receiptFor(remote.connected, work, { said, secret }))).toBe("settled");
  await remote.reaches("o-4", "Booked");
  const [one, two] = [keyIdOf(pair.secret), keyIdOf(secret)];
  expect(await remote.signers()).toEqual([one, two, one, two]);
  await remote.replays();
});

test("[M.V-12] a read that was not answered is handed out again, and signed", async () => {
  const { remote, pair } = await open(places.SQLite);
  const { host } = remote;
  expect(await host.holdfast("deploy", fetching, "--allow", "site.get")).toMatchObject({ code: 0 });
  const body = { topic: "fetch.start", messageId: "m", payload: { path: "/stock" } };
  await host.api("POST", "/workflows/fetch/commands", { kind: "publish_event", body });
  const first = await remote.take();
  const second = await remote.take();
  if (first === null || second === null) throw new Error("it was not handed out twice");
  expect([second.intent, second.kind]).toEqual([first.intent, "read"]);
  const said = { status: "ok", result: { status: 200, body: { left: 3 } } } as const;
  const { secret } = pair;
  const late = receiptFor(remote.connected, first, { said, secret });
  expect(await remote.bring(late)).toBe("RECEIPT_INTENT_UNKNOWN");
  expect(await remote.bring(receiptFor(remote.connected, second, { said, secret }))).toBe(
    "received",
  );
  const path = "/workflows/fetch/machines/state?machine=notify";
  const look = () => host.api<{ state: { phase: string } }>("GET", path);
  await vi.waitUntil(async () => (await look()).state.phase === "Done", { timeout: 60_000 });
  const { out } = await host.holdfast("machine", "journal", "fetch", "--json");
  expect(out).toContain(keyIdOf(secret));
  expect(await host.holdfast("machine", "replay", "fetch")).toMatchObject({ code: 0 });
});
