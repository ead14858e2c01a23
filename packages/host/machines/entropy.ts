import { randomFillSync } from "node:crypto";
import type { Instant } from "@holdfast/core";
import type { Sample } from "@holdfast/core/machine";

const sampleBytes = 64;
/** Asking for a few bytes takes as long as asking for thousands. */
const sampleCount = 128;

const pool = new Uint8Array(sampleBytes * sampleCount);
let usedBytes = pool.length;

export function sampleAt(now: Instant): Sample {
  return { nowNs: BigInt(now) * 1_000_000n, entropy: sampleEntropy() };
}

/** Each byte is handed out once. */
function sampleEntropy(): Uint8Array {
  if (usedBytes === pool.length) {
    randomFillSync(pool);
    usedBytes = 0;
  }
  usedBytes += sampleBytes;
  return pool.slice(usedBytes - sampleBytes, usedBytes);
}
