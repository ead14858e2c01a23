import { type CanonicalValue, contentHash } from "../canonical/index.ts";

const digitsKept = 32;

/** 128 bits of a content hash: enough to tell things apart, short enough to read out. */
export function shortHash(value: CanonicalValue): string {
  const hex = contentHash(value).slice("sha256:".length);
  return hex.slice(0, digitsKept);
}
