import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { ChildOptions, ChildOrder } from "./child-options.ts";
import type { History, HostWords } from "./history.ts";
import { type HistoryLine, historyDescriptor } from "./history-line.ts";

/** Children are started by the hundred; what they load is compiled once, and kept. */
const compiledFolder = fileURLToPath(
  new URL("../../node_modules/.cache/holdfast-hosts", import.meta.url),
);
const complaintCharsMax = 2_000;
const signalEveryMs = 50;

/** A host in a process of its own, and its words. Each process needs a name of its own. */
export class HostProcess {
  readonly name: string;
  readonly words: HostWords;
  /** All that it said has been read then. */
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;
  readonly #history: History;
  #mayEnd = false;

  constructor(options: ChildOptions, history: History) {
    this.name = options.name;
    this.words = history.wordsOf(options.name);
    this.#history = history;
    const program = fileURLToPath(new URL("./host-child.ts", import.meta.url));
    this.#child = spawn(process.execPath, [program, JSON.stringify(options)], {
      stdio: ["pipe", "ignore", "pipe", "pipe"],
      env: { ...process.env, NODE_COMPILE_CACHE: compiledFolder },
    });
    this.#child.stdin?.on("error", () => {}); // it was killed before it could read
    this.ended = this.#listen();
  }

  tell(order: ChildOrder): void {
    this.#child.stdin?.write(`${JSON.stringify(order)}\n`);
  }

  async kill(): Promise<void> {
    this.#mayEnd = true;
    this.#child.kill("SIGKILL");
    await this.ended;
  }

  /** Brings its work to rest, hands it over and ends. */
  async leave(): Promise<void> {
    this.#mayEnd = true;
    this.tell({ kind: "leave" });
    await this.ended;
  }

  /** It was told to leave, and is about to. */
  expectEnd(): void {
    this.#mayEnd = true;
  }

  /** Until it says so: it may have announced its stop and not have come to it yet. */
  async goOn(): Promise<void> {
    this.#child.kill("SIGCONT");
    const again = setInterval(() => this.#child.kill("SIGCONT"), signalEveryMs);
    try {
      await this.#history.until(`${this.name} goes on`, () => this.words.stoppedAt === null);
    } finally {
      clearInterval(again);
    }
  }

  async #listen(): Promise<void> {
    const [child, history] = [this.#child, this.#history];
    const exited = new Promise<string>((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", (code, signal) => resolve(String(signal ?? code)));
    });
    const [how, complaint] = await Promise.all([
      exited,
      readText(child.stderr),
      readLines(child, (line) => history.add(this.name, line)),
    ]);
    if (this.#mayEnd && (how === "SIGKILL" || this.words.isFinished)) return;
    history.fail(`${this.name} ended (${how}): ${complaint.slice(0, complaintCharsMax)}`);
  }
}

async function readLines(child: ChildProcess, onLine: (line: HistoryLine) => void): Promise<void> {
  const input = child.stdio[historyDescriptor] as Readable;
  let last = "";
  for await (const text of createInterface({ input })) {
    if (last !== "") onLine(JSON.parse(last) as HistoryLine);
    last = "";
    if (text.endsWith("}")) onLine(JSON.parse(text) as HistoryLine);
    // It may have died in the midst of its last word; in the midst of any other it may not.
    else last = text;
  }
}

async function readText(stream: Readable | null): Promise<string> {
  let text = "";
  for await (const chunk of stream ?? []) text += chunk;
  return text;
}
