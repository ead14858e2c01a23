import { closeSync, fdatasyncSync, fsyncSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Lap } from "./rounds.ts";

/** What a database hands to the disk at least. */
const blockBytes = 4_096;

/**
 * Small appends, each with its own sync, one after the other: what a journal costs that makes
 * every commit durable on its own. With `preallocated` the blocks are there already, as in a log
 * that is used again: no new length has to be kept, so the disk is faster.
 */
export function timeSyncs(
  folder: string,
  { syncCount, preallocated }: { readonly syncCount: number; readonly preallocated: boolean },
): Lap {
  const path = join(folder, "sync-rate");
  const file = openSync(path, "w");
  try {
    if (preallocated) {
      writeSync(file, Buffer.alloc(blockBytes * syncCount, 1));
      fsyncSync(file);
    }
    const block = Buffer.alloc(blockBytes, 2);
    const startedAt = performance.now();
    for (let count = 0; count < syncCount; count += 1) {
      writeSync(file, block, 0, blockBytes, count * blockBytes);
      fdatasyncSync(file);
    }
    return { count: syncCount, ms: performance.now() - startedAt };
  } finally {
    closeSync(file);
    rmSync(path);
  }
}
