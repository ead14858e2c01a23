import type { CanonicalValue } from "../canonical/canonical-value.ts";
import { contentHash } from "../canonical/hash.ts";

const digitsKept = 32;

/** 128 bits of a content hash: enough to tell things apart, short enough to read out. */
export function shortHash(value: CanonicalValue): string {
  const hex = contentHash(value).slice("sha256:".length);
  return hex.slice(0, digitsKept);
}
