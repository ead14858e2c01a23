import { type ChildProcess, spawn } from "node:child_process";
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { http } from "@holdfast/connectors";
import type { ReceiptAnswer, TakeAnswer } from "@holdfast/protocol";
import { expect, onTestFinished, vi } from "vitest";
import { post, type Work } from "./executor-kit.ts";
import { HostProcess, newFolder, type StorePlace } from "./host-process.ts";
import { script } from "./machine-host.ts";
import { OrderShop } from "./order-shop.ts";

const program = fileURLToPath(new URL("./executor-process.ts", import.meta.url));
const timings = { hostPauseMsMax: 150, reconcileDelayMs: 40, reconcileDelayMsMax: 200 };

type More = { readonly account?: object; readonly timings?: object };

export type Pair = { readonly secret: KeyObject; readonly listed: string; readonly file: string };

/** A host that executes nothing of `http` itself, and a shop that counts. */
export class Remote {
  readonly shop: OrderShop;
  readonly #folder = newFolder();
  readonly #options: { readonly store: StorePlace; readonly accountsFile: string };
  readonly #environment: Readonly<Record<string, string>>;
  readonly #more: More;
  host: HostProcess;
  token = "";

  private constructor(
    shop: OrderShop,
    store: StorePlace,
    { keys, ...more }: More & { readonly keys: (folder: string) => object },
  ) {
    this.shop = shop;
    this.#more = more;
    const accountsFile = join(this.#folder, "accounts.json");
    const { account } = this;
    writeFileSync(accountsFile, JSON.stringify({ shop: account, site: account }));
    const policyFile = join(this.#folder, "policy.json");
    writeFileSync(policyFile, JSON.stringify({ all: { ...timings, ...more.timings } }));
    const config = join(this.#folder, "holdfast.config.ts");
    this.#options = { store, accountsFile };
    const tokens = join(this.#folder, "tokens.json");
    const own = { HOLDFAST_CONFIG: config, HOLDFAST_TOKENS: tokens, HOLDFAST_POLICY: policyFile };
    this.#environment = { ...own, HOLDFAST_LEASE_MS: "2000" };
    this.list(keys(this.#folder));
    this.host = this.#start();
  }

  static async open(
    store: StorePlace,
    more: More & { readonly keys: (folder: string) => object },
  ): Promise<Remote> {
    const remote = new Remote(await OrderShop.start(), store, more);
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
    const own = { connector: "http", baseUrl: this.shop.url, timeoutMs: 1_500 };
    return { ...own, allowPrivateAddresses: true, ...this.#more.account };
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

  /** Another one of the same store, which needs a server for it. */
  second(): HostProcess {
    const host = this.#start();
    onTestFinished(async () => {
      host.kill("SIGKILL");
      await host.ended;
    });
    return host;
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

  async take(waitMs = 20_000, host = this.host): Promise<Work | null> {
    const place = { url: await host.url, token: this.token };
    const { body } = await post<TakeAnswer>(place, "http/take", { waitMs });
    return body.work;
  }

  async bring(
    receipt: object,
    {
      token = this.token,
      host = this.host,
    }: { token?: string; host?: HostProcess | undefined } = {},
  ) {
    const place = { url: await host.url, token };
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

  /** The kinds of all that was recorded, the newest first. */
  async facts(): Promise<readonly string[]> {
    type Page = { readonly items: readonly { readonly kind: string }[] };
    const { items } = await this.host.api<Page>("GET", "/workflows/orders/facts?limit=200");
    return items.map(({ kind }) => kind);
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

export const runner = (...pairs: readonly Pair[]) => ({
  http: { publicKeys: pairs.map(({ listed }) => listed), tokens: ["runner"] },
});

/** The same, and the host executes another connector itself. */
export const withMail = (pair: Pair, mail: Pair) => ({
  ...runner(pair),
  mail: { publicKeys: [mail.listed], keyFile: mail.file },
});

export async function open(newStore: () => Promise<StorePlace>, more: More = {}) {
  const made: Pair[] = [];
  const keys = (folder: string) => {
    made.push(newPair(folder, "one.pem"));
    return runner(...made);
  };
  const remote = await Remote.open(await newStore(), { ...more, keys });
  const [pair] = made;
  if (pair === undefined) throw new Error("there is a key");
  return { remote, pair };
}

export async function takeOne(remote: Remote, id: string): Promise<Work> {
  await remote.publish(id);
  const work = await remote.take();
  if (work === null) throw new Error("there was nothing to take");
  return work;
}
