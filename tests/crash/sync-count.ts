import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildFileCalls, watchFileCalls } from "./file-calls.ts";
import { type SyncMethod, type SyncReport, syncMethods } from "./sync-report.ts";
import { inTempFolder } from "./temp-folder.ts";

const childMsMax = 120_000;
const calibrationRounds = 5;

export type SyncOptions = {
  readonly syncing: "full" | "off";
  /** Rounds of six groups each, one group after the other. */
  readonly rounds: number;
  /** Changes that arrive at once. */
  readonly together: number;
};

export type SyncCount = { readonly method: SyncMethod } & SyncReport;

/** By the first method that sees plain syncs on this machine, and only those. */
export async function countSyncs(options: SyncOptions): Promise<SyncCount> {
  const tried: string[] = [];
  for (const method of syncMethods) {
    const found = await inTempFolder(async (folder) => runCounted(folder, method, options));
    if (typeof found === "string") tried.push(`${method}: ${found}`);
    else return { method, ...found };
  }
  throw new Error(`syncs cannot be counted on this machine (${tried.join("; ")})`);
}

/** A text says why the method does not work here. */
function runCounted(
  folder: string,
  method: SyncMethod,
  { syncing, rounds, together }: SyncOptions,
): SyncReport | string {
  const file = join(folder, "counted");
  const program = fileURLToPath(new URL("./sync-child.ts", import.meta.url));
  const command = [process.execPath, program];
  command.push("--folder", folder, "--method", method, "--file", file, "--syncing", syncing);
  command.push("--rounds", String(rounds), "--together", String(together));
  let environment: Readonly<Record<string, string>> = {};
  if (method === "preload") {
    const library = buildFileCalls(folder);
    if (library === null) return "there is no C compiler";
    environment = watchFileCalls(library, file);
  }
  if (method === "strace") {
    command.unshift("strace", "-f", "-qq", "-e", "trace=fsync,fdatasync", "-o", file);
  }
  const [name = "", ...rest] = command;
  const { status, stdout, stderr, error } = spawnSync(name, rest, {
    env: { ...process.env, ...environment },
    encoding: "utf8",
    timeout: childMsMax,
  });
  if (error !== undefined) return error.message;
  if (status !== 0) return stderr.slice(0, 500);
  const report = JSON.parse(stdout) as SyncReport;
  return whyBlind(report) ?? report;
}

/** A method that misses plain syncs, or takes plain writes for syncs, proves nothing. */
function whyBlind({ calibration: { plain, synced } }: SyncReport): string | null {
  if (synced >= calibrationRounds && plain === 0) return null;
  return `it counted ${plain} for plain writes and ${synced} for ${calibrationRounds} syncs`;
}

/** What the counts say against the adapter; empty = every acknowledged group was synced. */
export function findUnsynced({ rounds, together }: SyncReport, changeCount: number): string[] {
  const problems = rounds
    .filter(({ syncs }) => syncs < 1)
    .map(({ what }, index) => `group ${index + 1} (${what}) was acknowledged without a sync`);
  if (together < 1) problems.push(`${changeCount} changes were acknowledged without a sync`);
  if (together > changeCount / 8) {
    problems.push(`${changeCount} changes at once took ${together} syncs: they share no group`);
  }
  return problems;
}
