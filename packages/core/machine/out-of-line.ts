/**
 * Large bytes of blobs, and states of many cells, are kept beside the journal, by their hash: a
 * record then has where they are, how many, and the hash again, which is what replay goes by.
 */
import { type CanonicalRecord, encodeCanonical, type Hash, sha256 } from "../canonical/index.ts";
import { hashOfBytes } from "./hash-bytes.ts";
import { sameBytes } from "./hex.ts";
import { blobGetEffect, blobPutEffect } from "./host-effects.ts";
import type { Kernel } from "./kernel.ts";

/** Smaller ones are read with their record, which is cheaper than reading them by themselves. */
const bytesMin = 4_096;

/** Bytes by their hash; null = they are not there. */
export type KeptBytes = (ref: Hash) => Uint8Array | null;

/** The params of an intent as its record has them. */
export function paramsFields(
  kernel: Pick<Kernel, "keep">,
  { effect, params }: { readonly effect: string; readonly params: Uint8Array },
): CanonicalRecord {
  if (effect !== blobPutEffect || params.length < bytesMin) return { params };
  const { ref, size, sha } = keepOut(kernel, params);
  return { params_ref: ref, params_size: size, params_sha256: sha };
}

/** The payload of a receipt as its record has it; `effect` is null if nobody knows it any more. */
export function payloadFields(
  kernel: Pick<Kernel, "keep">,
  { effect, payload }: { readonly effect: string | null; readonly payload: Uint8Array },
): CanonicalRecord {
  if (effect !== blobGetEffect || payload.length < bytesMin) return { payload };
  const { ref, size, sha } = keepOut(kernel, payload);
  return { payload_ref: ref, payload_size: size, payload_sha256: sha };
}

/** Of all cells that a version writes otherwise. */
export function statesFields(
  kernel: Pick<Kernel, "keep">,
  states: readonly CanonicalRecord[],
): CanonicalRecord {
  const { ref, size, sha } = keepOut(kernel, encodeCanonical(states));
  return { states_ref: ref, states_size: size, states_sha256: sha };
}

function keepOut(kernel: Pick<Kernel, "keep">, bytes: Uint8Array) {
  kernel.keep(bytes);
  const sha = sha256(bytes);
  return { ref: sha, size: bytes.length, sha };
}

/** What stands outside of its record: null = it is not there, or is not what was kept. */
export function readKept(
  kept: KeptBytes,
  { ref, size, sha }: { readonly ref: Uint8Array; readonly size: bigint; readonly sha: Uint8Array },
): Uint8Array | null {
  const bytes = kept(hashOfBytes(ref));
  if (bytes === null || BigInt(bytes.length) !== size) return null;
  return sameBytes(sha256(bytes), sha) ? bytes : null;
}
