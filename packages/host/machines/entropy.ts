import { randomFillSync } from "node:crypto";

const sampleBytes = 64;
/** Asking for a few bytes takes as long as asking for thousands. */
const sampleCount = 128;

const pool = new Uint8Array(sampleBytes * sampleCount);
let usedBytes = pool.length;

/** Each byte is handed out once. */
export function sampleEntropy(): Uint8Array {
  if (usedBytes === pool.length) {
    randomFillSync(pool);
    usedBytes = 0;
  }
  usedBytes += sampleBytes;
  return pool.slice(usedBytes - sampleBytes, usedBytes);
}
