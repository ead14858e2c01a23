import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { runChild } from "./child-process.ts";
import {
  buildFileCalls,
  chooseCalls,
  readLetters,
  readSyncCount,
  watchFileCalls,
} from "./file-calls.ts";
import { type PointReport, tryDeath } from "./kill-point.ts";
import { type Progress, tryAll } from "./matrix.ts";
import { inTempFolder } from "./temp-folder.ts";

/**
 * Deaths inside SQLite's own work, where no boundary of ours can be: in the midst of writing a
 * frame, before and after each sync, while a log is copied back and removed. Null = a child cannot
 * be watched here, so that none was tried.
 */
export function tryFileCalls(
  onReport: Progress,
  choose: (calls: readonly number[]) => readonly number[],
): Promise<readonly PointReport[] | null> {
  return inTempFolder(async (folder) => {
    const library = buildFileCalls(folder);
    if (library === null) return null;
    const letters = await recordCalls(library);
    if (!letters.includes("s")) return null;
    const trials = choose(chooseCalls(letters)).map((call) => () => {
      const environment = watchFileCalls(library, join(folder, `calls-${call}`), call);
      return tryDeath(`file call ${call} (${letters[call - 1]})`, { environment });
    });
    return tryAll(trials, onReport);
  });
}

const oneSync = `const fs = require("fs"); fs.fsyncSync(fs.openSync("synced", "w"))`;

/** Needs a C compiler, and a system that loads what it made into the child. */
export function canWatchFileCalls(): Promise<boolean> {
  return inTempFolder(async (folder) => {
    const library = buildFileCalls(folder);
    if (library === null) return false;
    const file = join(folder, "calls");
    const env = { ...process.env, ...watchFileCalls(library, file) };
    const { status } = spawnSync(process.execPath, ["-e", oneSync], { cwd: folder, env });
    return status === 0 && existsSync(file) && readSyncCount(file) === 1;
  });
}

/** What a run without them must say: fewer deaths are a smaller promise. */
export const fileCallsNotTried =
  "no working C compiler here: no deaths inside file calls were tried";

/** Where nobody reads what was not tried, trying less is a failure. */
export function mustTryFileCalls(): boolean {
  return (process.env["CI"] ?? "") !== "";
}

function recordCalls(library: string): Promise<string> {
  return inTempFolder(async (folder) => {
    const file = join(folder, "calls");
    const environment = watchFileCalls(library, file);
    const end = await runChild({ folder, life: 1, environment, onLine: () => {} });
    if (end.kind !== "finished") throw new Error(`a watched life ended ${JSON.stringify(end)}`);
    return readLetters(file);
  });
}
