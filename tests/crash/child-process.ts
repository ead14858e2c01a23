import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { type WitnessLine, witnessDescriptor } from "./witness-line.ts";

/** A child that is neither dead nor done by then is stuck, even on a very busy machine. */
const childMsMax = 60_000;

/** Children are started by the hundred; what they load is compiled once, and kept. */
const compiledFolder = fileURLToPath(
  new URL("../../node_modules/.cache/holdfast-crash", import.meta.url),
);

export type BoundaryCall = { readonly call: number; readonly boundary?: string };

export type ChildOptions = {
  readonly folder: string;
  readonly life: number;
  /** Which boundary to die at, counted over all or over one kind; absent = it may live. */
  readonly killAt?: BoundaryCall;
  readonly breakage?: string;
  /** More environment: what the loader of shared objects has to know. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly onLine: (line: WitnessLine) => void;
  /** Gets the means to kill it from outside. */
  readonly onSpawn?: (kill: () => void) => void;
};

export type ChildEnd =
  | { readonly kind: "finished"; readonly boundaries: readonly string[] }
  /** `at` = the boundary it named; null = it was killed from outside. */
  | { readonly kind: "killed"; readonly at: string | null }
  | { readonly kind: "failed"; readonly note: string };

export async function runChild(options: ChildOptions): Promise<ChildEnd> {
  const child = spawn(process.execPath, argumentsOf(options), {
    stdio: ["ignore", "ignore", "pipe", "pipe"],
    env: { ...process.env, NODE_COMPILE_CACHE: compiledFolder, ...options.environment },
  });
  options.onSpawn?.(() => child.kill("SIGKILL"));
  const watchdog = setTimeout(() => child.kill("SIGTERM"), childMsMax);
  const [lines, complaint, end] = await Promise.all([
    readLines(child, options.onLine),
    readText(child.stderr),
    endOf(child),
  ]);
  clearTimeout(watchdog);
  return judge(lines, complaint, end);
}

function argumentsOf({ folder, life, killAt, breakage }: ChildOptions): string[] {
  const program = fileURLToPath(new URL("./child.ts", import.meta.url));
  return [
    program,
    ...["--folder", folder, "--life", String(life), "--kill-at", String(killAt?.call ?? 0)],
    ...(killAt?.boundary === undefined ? [] : ["--boundary", killAt.boundary]),
    ...(breakage === undefined ? [] : ["--break", breakage]),
  ];
}

async function readLines(
  child: ChildProcess,
  onLine: (line: WitnessLine) => void,
): Promise<WitnessLine[]> {
  const lines: WitnessLine[] = [];
  const input = child.stdio[witnessDescriptor] as Readable;
  for await (const text of createInterface({ input })) {
    const line = JSON.parse(text) as WitnessLine;
    lines.push(line);
    onLine(line);
  }
  return lines;
}

async function readText(stream: Readable | null): Promise<string> {
  let text = "";
  for await (const chunk of stream ?? []) text += chunk;
  return text;
}

type ProcessEnd = { readonly code: number | null; readonly signal: string | null };

function endOf(child: ChildProcess): Promise<ProcessEnd> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
}

function judge(
  lines: readonly WitnessLine[],
  complaint: string,
  { code, signal }: ProcessEnd,
): ChildEnd {
  const last = lines.at(-1);
  if (signal === "SIGKILL") {
    return { kind: "killed", at: last?.kind === "killed" ? last.boundary : null };
  }
  if (code === 0 && last?.kind === "finished") return last;
  const how = signal === null ? `exit code ${code}` : `${signal} after ${childMsMax} ms`;
  return { kind: "failed", note: `the child ended with ${how}: ${complaint.slice(0, 2_000)}` };
}
