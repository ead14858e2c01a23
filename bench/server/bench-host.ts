import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const cli = fileURLToPath(new URL("../../apps/cli/holdfast.js", import.meta.url));
const bare = fileURLToPath(new URL("./bare-hono.ts", import.meta.url));
export const token = "a-token-for-the-bench";

const source = `
import { workflow } from "@holdfast/sdk";
export default workflow({
  name: "orders",
  topics: { received: {}, seen: { observed: true } },
  producers: { poll: { manual: true, publishes: ["received"], handler: async () => {} } },
  consumers: {
    keep: {
      subscribe: ["received"],
      publishes: ["seen"],
      prepare: async (ctx) => {
        const events = await ctx.peek("received", { limit: 100 });
        const ids = events.map(({ messageId }) => messageId);
        const reservations = ids.length === 0 ? [] : [{ topic: "received", ids }];
        return { reservations, data: {}, ui: { title: "Kept" } };
      },
      next: async () => undefined,
    },
  },
});`;

/** A program as a child, by the address that it prints. */
export class BenchProcess {
  readonly child: ChildProcess;
  readonly url: string;

  private constructor(child: ChildProcess, url: string) {
    this.child = child;
    this.url = url;
  }

  /** The shipped program on a data folder of its own. */
  static async host(folder: string): Promise<BenchProcess> {
    const env = {
      ...process.env,
      HOLDFAST_DATA: join(folder, "data"),
      HOLDFAST_TOKEN: token,
      HOLDFAST_PORT: "0",
      HOLDFAST_POSTGRES_URL: "",
      HOLDFAST_URL: "",
    };
    return BenchProcess.#start([cli, "start"], env);
  }

  static async bare(answer: unknown): Promise<BenchProcess> {
    return BenchProcess.#start([bare], { ...process.env, BENCH_ANSWER: JSON.stringify(answer) });
  }

  static async #start(words: readonly string[], env: NodeJS.ProcessEnv): Promise<BenchProcess> {
    const child = spawn(process.execPath, [...words], {
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const said = Promise.withResolvers<string>();
    let text = "";
    child.stdout.on("data", (bytes: Buffer) => {
      text += bytes.toString();
      const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(text) ?? [];
      if (url !== undefined) said.resolve(url);
    });
    child.once("exit", (code) => said.reject(new Error(`ended with ${code}: ${text}`)));
    return new BenchProcess(child, await said.promise);
  }

  async ask<T>(method: "GET" | "POST", path: string, body?: object): Promise<T> {
    const answer = await fetch(`${this.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
    return (await answer.json()) as T;
  }

  async deploy(): Promise<void> {
    await this.ask("POST", "/versions", { source: { entry: "o.ts", files: { "o.ts": source } } });
  }

  /**
   * What the process has for itself, without the pages of the node binary that any other node has
   * in common with it. Null = this system does not tell.
   */
  get ownMiB(): number | null {
    try {
      const status = readFileSync(`/proc/${this.child.pid}/status`, "utf8");
      return Number(/RssAnon:\s+(\d+)/.exec(status)?.[1]) / 1_024;
    } catch {
      return null;
    }
  }

  /** Processor time of all its threads so far. Null = this system does not tell. */
  get cpuMs(): number | null {
    try {
      const tasks = `/proc/${this.child.pid}/task`;
      const spentNs = readdirSync(tasks).map((task) => {
        return Number(readFileSync(`${tasks}/${task}/schedstat`, "utf8").split(" ")[0]);
      });
      return spentNs.reduce((sum, each) => sum + each, 0) / 1_000_000;
    } catch {
      return null;
    }
  }

  async stop(): Promise<void> {
    this.child.kill("SIGTERM");
    await once(this.child, "exit");
  }
}
