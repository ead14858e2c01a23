import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

/** What `npm start` and `npx holdfast` run. */
export const start = fileURLToPath(new URL("../../apps/cli/start.js", import.meta.url));
export const holdfast = fileURLToPath(new URL("../../apps/cli/holdfast.js", import.meta.url));

/** A program, or with `sh` a whole line, as it is typed, and all it prints. */
export class Typed {
  output = "";
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  readonly #isGroup: boolean;

  constructor(
    program: string,
    words: readonly string[],
    environment: NodeJS.ProcessEnv = {},
    cwd?: string,
  ) {
    const env = {
      ...process.env,
      ...{ HOLDFAST_DATA: "", HOLDFAST_POSTGRES_URL: "", HOLDFAST_TOKEN: "", HOLDFAST_PORT: "0" },
      ...environment,
    };
    const isLine = program === "sh";
    this.#isGroup = isLine;
    this.child = isLine
      ? spawn("sh", ["-c", ...words], { env, cwd, detached: true })
      : spawn(process.execPath, [program, ...words], { env, cwd });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.output += text;
      });
    }
    this.ended = once(this.child, "close").then(([code]) => code as number | null);
    onTestFinished(() => this.#kill("SIGKILL"));
  }

  /** What the words found, once they are there; rejects if the program ends without. */
  async said(words: RegExp): Promise<RegExpExecArray> {
    const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>();
    const look = () => {
      const found = words.exec(this.output);
      if (found !== null) resolve(found);
    };
    for (const stream of [this.child.stdout, this.child.stderr]) stream?.on("data", look);
    void this.ended.then(() => reject(new Error(`it never said ${words}:\n${this.output}`)));
    look();
    return promise;
  }

  async interrupted(): Promise<number | null> {
    this.#kill("SIGINT");
    return this.ended;
  }

  /** As a terminal does: everything that the line has started. */
  #kill(signal: NodeJS.Signals): void {
    const { pid, exitCode, signalCode } = this.child;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    if (this.#isGroup) process.kill(-pid, signal);
    else this.child.kill(signal);
  }
}

export async function typed(
  program: string,
  words: readonly string[],
  environment = {},
  cwd?: string,
) {
  const run = new Typed(program, words, environment, cwd);
  const code = await run.ended;
  return { code, output: run.output };
}
