import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const syncsAt = 0;
const callsAt = 8;
const lettersAt = 16;

/** Compiles file-calls.c into the folder; null = there is no compiler, or it cannot. */
export function buildFileCalls(folder: string): string | null {
  const source = fileURLToPath(new URL("./file-calls.c", import.meta.url));
  const library = join(folder, "file-calls.so");
  const flags = ["-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"];
  const { status } = spawnSync(process.env["CC"] ?? "cc", flags, { stdio: "ignore" });
  return status === 0 ? library : null;
}

/** What a child needs to be watched; its calls are counted in `file`. */
export function watchFileCalls(
  library: string,
  file: string,
  killAt?: number,
): Readonly<Record<string, string>> {
  return {
    LD_PRELOAD: library,
    HOLDFAST_FILE_CALLS: file,
    ...(killAt === undefined ? {} : { HOLDFAST_KILL_AT_CALL: String(killAt) }),
  };
}

export function readSyncCount(file: string): number {
  return Number(readFileSync(file).readBigUInt64LE(syncsAt));
}

/** One letter per call, in order: w write, s sync, t truncate, u unlink. */
export function readLetters(file: string): string {
  const bytes = readFileSync(file);
  const callCount = Number(bytes.readBigUInt64LE(callsAt));
  return bytes.toString("latin1", lettersAt, lettersAt + callCount);
}

/**
 * Calls worth dying in: every sync, the writes just before and after it (which leave half of their
 * bytes) and one in the midst of the run of writes between two syncs; and whatever cuts or removes
 * a file. Numbered from 1.
 */
export function chooseCalls(letters: string): readonly number[] {
  const chosen = new Set<number>();
  let previous = 0;
  for (const [index, letter] of [...letters].entries()) {
    const call = index + 1;
    if (letter === "w") continue;
    chosen.add(call);
    if (letter !== "s") continue;
    for (const near of [Math.ceil((previous + call) / 2), call - 1, call + 1]) {
      if (near >= 1 && near <= letters.length) chosen.add(near);
    }
    previous = call;
  }
  return [...chosen].sort((one, other) => one - other);
}
