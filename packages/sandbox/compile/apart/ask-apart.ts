import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { compiledBefore } from "../../compiled-before.ts";
import type { Answer, Question, Saying } from "./question.ts";

export type AskedApart =
  | { readonly ok: true; readonly answer: Answer }
  | { readonly ok: false; readonly reason: "died" | "too_slow" };

/** Longest wait for one answer. The largest scripts take well under a second. */
const answerMsMax = 20_000;
/** Longest wait for the process to start; machines under load are slow at it. */
const startMsMax = 60_000;
/** Room for the trees of a script of the largest size. */
const heapMbMax = 512;

let warm: ChildProcess | null = null;
let last: Promise<unknown> = Promise.resolve();

/** One question at a time: a death belongs to the question that was open. */
export function askApart(question: Question): Promise<AskedApart> {
  const asked = last.then(() => ask(question));
  last = asked.catch(() => undefined);
  return asked;
}

async function ask(question: Question): Promise<AskedApart> {
  const child = warm ?? (await start());
  warm = child;
  hold(child, true);
  const heard = listen(child, answerMsMax);
  child.send(question, () => undefined); // a failure to send is heard as its death
  const saying = await heard;
  if (saying === "died" || saying === "too_slow") {
    discard(child);
    return { ok: false, reason: saying };
  }
  hold(child, false);
  switch (saying.kind) {
    case "answer":
      return { ok: true, answer: saying.answer };
    case "too_deep":
      return { ok: false, reason: "died" };
    default:
      throw new Error(
        `a check failed on a script: ${saying.kind === "broken" ? saying.stack : ""}`,
      );
  }
}

async function start(): Promise<ChildProcess> {
  const child = fork(fileURLToPath(new URL("./apart-process.ts", import.meta.url)), [], {
    execArgv: [`--max-old-space-size=${heapMbMax}`],
    env: compiledBefore(), // nothing else of the host is for it
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  const saying = await listen(child, startMsMax);
  if (saying !== "died" && saying !== "too_slow") return child;
  discard(child);
  // No script was involved yet, so this must not be blamed on one.
  throw new Error("the process that parses scripts does not start");
}

/** The next thing the process says, or how it failed to. */
function listen(child: ChildProcess, waitMsMax: number): Promise<Saying | "died" | "too_slow"> {
  return new Promise((resolve) => {
    const settle = (saying: Saying | "died" | "too_slow"): void => {
      clearTimeout(timer);
      child.off("message", onSaying);
      child.off("exit", onDeath);
      child.off("error", onDeath);
      resolve(saying);
    };
    // It is computed from untrusted text, but by our own code: its form is ours.
    const onSaying = (saying: unknown): void => settle(saying as Saying);
    const onDeath = (): void => settle("died");
    const timer = setTimeout(() => settle("too_slow"), waitMsMax);
    child.on("message", onSaying);
    child.on("exit", onDeath);
    child.on("error", onDeath);
    if (child.exitCode !== null || child.signalCode !== null) onDeath();
  });
}

/** A process that is only kept warm must not keep the host alive. */
function hold(child: ChildProcess, open: boolean): void {
  if (open) {
    child.ref();
    child.channel?.ref();
  } else {
    child.unref();
    child.channel?.unref();
  }
}

function discard(child: ChildProcess): void {
  warm = null;
  child.on("error", () => undefined); // a late one must not stop the host
  child.kill("SIGKILL");
}
