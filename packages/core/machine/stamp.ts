import { type CanonicalRecord, contentSha256, type Hash } from "../canonical/index.ts";
import { invariant } from "../ports/invariant.ts";
import { hashBytes } from "./hash-bytes.ts";

/** What the shell measures and draws, once for each outside input. */
export type Sample = { readonly nowNs: bigint; readonly entropy: Uint8Array };

const entropyByteCount = 64;

/** The moment of an event: all that a step may know of time and chance. */
export type Stamp = {
  readonly nowNs: bigint;
  readonly logicalNowNs: bigint; // never less than in any record before
  readonly entropy: Uint8Array;
  readonly height: number; // sequence number of the record that carries it
  readonly manifestHash: Hash;
};

export type Moment = {
  readonly logicalNowNs: bigint;
  readonly height: number;
  readonly manifestHash: Hash;
};

export function outsideStamp({ nowNs, entropy }: Sample, moment: Moment): Stamp {
  invariant(entropy.length === entropyByteCount, "a sample has 64 bytes of entropy");
  const logicalNowNs = nowNs > moment.logicalNowNs ? nowNs : moment.logicalNowNs;
  return { nowNs, logicalNowNs, entropy, height: moment.height, manifestHash: moment.manifestHash };
}

/** The stamp of what a step caused: nothing in it is measured, so that replay makes the same. */
export function childStamp(parent: Stamp, height: number): Stamp {
  const half = (which: number) => contentSha256([parent.entropy, height, which]);
  const entropy = new Uint8Array(entropyByteCount);
  entropy.set(half(0));
  entropy.set(half(1), entropyByteCount / 2);
  return { ...parent, entropy, height };
}

export function stampRecord(stamp: Stamp): CanonicalRecord {
  return {
    now_ns: stamp.nowNs,
    logical_now_ns: stamp.logicalNowNs,
    entropy: stamp.entropy,
    journal_height: stamp.height,
    manifest_hash: hashBytes(stamp.manifestHash),
  };
}
