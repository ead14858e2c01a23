import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { hostFlags } from "./host-flags.js";

const cli = fileURLToPath(new URL("./holdfast.js", import.meta.url));
const endWithParent = new URL("./end-with-parent.ts", import.meta.url).href;

export type Ended = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

/** The plain host, `holdfast start`, in a process of its own. */
export class HostChild {
  readonly ended: Promise<Ended>;
  /** Its address; null = it ended before it had one. */
  readonly url: Promise<string | null>;
  readonly #child: ChildProcess;

  constructor(environment: NodeJS.ProcessEnv, onOutput: (text: string) => void = () => {}) {
    const words = [...hostFlags, "--import", endWithParent, cli, "start"];
    // A group of its own: Ctrl-C is for the one who started it, and told from there.
    const child = spawn(process.execPath, words, {
      env: environment,
      detached: true,
      stdio: ["ignore", "pipe", "inherit", "ipc"],
    });
    this.#child = child;
    this.ended = once(child, "close").then(([code, signal]) => ({ code, signal }));
    const { promise, resolve } = Promise.withResolvers<string | null>();
    let said = "";
    child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      onOutput(chunk);
      said = `${said}${chunk}`.slice(-saidCharsMax);
      const found = /API on (https?:\S+)/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    void this.ended.then(() => resolve(null));
    this.url = promise;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async stop(): Promise<Ended> {
    this.kill("SIGTERM");
    return this.ended;
  }
}

const saidCharsMax = 10_000;

/** The program's own commands, with what they print. */
export async function runHoldfast(
  environment: NodeJS.ProcessEnv,
  ...words: readonly string[]
): Promise<number | null> {
  const child = spawn(process.execPath, [cli, ...words], { env: environment, stdio: "inherit" });
  const [code] = (await once(child, "close")) as [number | null];
  return code;
}
