import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const cli = fileURLToPath(new URL("../../apps/cli/holdfast.js", import.meta.url));
const cliSources = fileURLToPath(new URL("../../apps/cli/program.ts", import.meta.url));
const token = "a-token-for-tests";

export type StorePlace =
  | { readonly kind: "sqlite"; readonly folder: string }
  | { readonly kind: "postgres"; readonly url: string };

export type Ended = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

/** A place for everything one test leaves on disk. */
export function newFolder(): string {
  return mkdtempSync(join(tmpdir(), "holdfast-end-to-end-"));
}

/** The other accounts are with the same service, each under a path of its name. */
export function writeAccounts(
  folder: string,
  serviceUrl: string,
  more: object = {},
  others: readonly string[] = [],
): string {
  const shop = { connector: "http", baseUrl: serviceUrl, allowPrivateAddresses: true, ...more };
  const path = join(folder, "accounts.json");
  const beside = others.map((name) => [name, { ...shop, baseUrl: `${serviceUrl}/${name}` }]);
  writeFileSync(path, JSON.stringify({ shop, ...Object.fromEntries(beside) }));
  return path;
}

type Environment = Readonly<Record<string, string>>;

export type StartOptions = {
  readonly store: StorePlace;
  readonly accountsFile: string;
  readonly environment?: Environment;
  /** Modules that are loaded before the program. */
  readonly imports?: readonly string[];
  /** From its sources one by one, for what changes them as they are loaded. */
  readonly fromSources?: boolean;
  /** After `start`. */
  readonly words?: readonly string[];
};

/** The shipped program, `holdfast start`, as a child. */
export class HostProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  readonly output: string[] = [];
  readonly #options: StartOptions;
  readonly #url = Promise.withResolvers<string>();

  constructor(options: StartOptions) {
    this.#options = options;
    const imports = (options.imports ?? []).flatMap((path) => ["--import", path]);
    const env = environmentOf(options);
    const program = options.fromSources ? cliSources : cli;
    this.child = spawn(process.execPath, [...imports, program, "start", ...(options.words ?? [])], {
      env,
      stdio: "pipe",
    });
    this.ended = once(this.child, "close").then(([code, signal]) => ({ code, signal }));
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.setEncoding("utf8").on("data", (chunk: string) => this.#read(chunk));
    }
    this.#url.promise.catch(() => {});
    void this.ended.then(({ code, signal }) =>
      this.#url.reject(new Error(`ended with ${code ?? signal}:\n${this.output.join("")}`)),
    );
  }

  /** The API's address, once it works; rejects if it ended before. */
  get url(): Promise<string> {
    return this.#url.promise;
  }

  /** Resolves when the process has said it; rejects if it ends without. */
  async said(words: RegExp): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const look = () => words.test(this.output.join("")) && resolve();
    for (const stream of [this.child.stdout, this.child.stderr]) stream?.on("data", look);
    void this.ended.then(() => reject(new Error(`it never said ${words}`)));
    look();
    return promise;
  }

  #read(chunk: string): void {
    this.output.push(chunk);
    const found = /API on (https?:\S+)/.exec(this.output.join(""));
    if (found?.[1] !== undefined) this.#url.resolve(found[1]);
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  async stop(): Promise<Ended> {
    this.kill("SIGTERM");
    return this.ended;
  }

  /** A command of the line against this host. */
  async holdfast(...words: readonly string[]): Promise<{ code: number | null; out: string }> {
    return this.holdfastAs({}, ...words);
  }

  /** The same in the name of somebody else. */
  async holdfastAs(environment: Environment, ...words: readonly string[]) {
    const env = { ...environmentOf(this.#options), HOLDFAST_URL: await this.url, ...environment };
    return runCommand(env, words);
  }

  /** One request of the API; the body is JSON. */
  async api<T>(method: "GET" | "POST", path: string, body?: object): Promise<T> {
    const answer = await fetch(`${await this.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const read = (await answer.json()) as T;
    if (!answer.ok) throw new Error(`${method} ${path}: ${JSON.stringify(read)}`);
    return read;
  }
}

function environmentOf({ store, accountsFile, environment = {} }: StartOptions) {
  return {
    ...process.env,
    HOLDFAST_DATA: store.kind === "sqlite" ? store.folder : "",
    HOLDFAST_POSTGRES_URL: store.kind === "postgres" ? store.url : "",
    HOLDFAST_ACCOUNTS: accountsFile,
    HOLDFAST_TOKEN: token,
    HOLDFAST_PORT: "0",
    ...environment,
  };
}

async function runCommand(env: NodeJS.ProcessEnv, words: readonly string[], input = "") {
  const child = spawn(process.execPath, [cli, ...words], { env, stdio: "pipe" });
  child.stdin.end(input);
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close") as Promise<[number | null]>,
  ]);
  return { code, out: out + err };
}

/** A command of the line on a store that nobody works on. */
export async function runOffline(
  store: StorePlace,
  ...words: readonly string[]
): Promise<{ code: number | null; out: string }> {
  return runCommand(environmentOf({ store, accountsFile: "" }), words);
}

/** As it may lie in an accounts file. */
export async function seal(store: StorePlace, secret: string, key: string): Promise<object> {
  const environment = { HOLDFAST_KEY: key };
  const env = environmentOf({ store, accountsFile: "", environment });
  const { out } = await runCommand(env, ["secrets", "seal"], secret);
  return JSON.parse(out) as object;
}

/** A command of the line on this machine, whether or not a host runs there. */
export async function runBeside(options: StartOptions, ...words: readonly string[]) {
  return runCommand(environmentOf(options), words);
}

export async function verifyFull(store: StorePlace): Promise<{ code: number | null; out: string }> {
  return runOffline(store, "verify", "--full");
}
