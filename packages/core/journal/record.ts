import {
  type CanonicalValue,
  decodeCanonical,
  type Hash,
  hashText,
  withCanonical,
} from "../canonical/index.ts";
import type { Instant, Seq } from "../view/rows.ts";
import { type Fact, factVersion } from "./fact.ts";

/** Hash before the first record. */
export const genesisHash = `sha256:${"0".repeat(64)}` as Hash;

/** A fact with its place and time: what `project` and `apply` see. */
export type JournalRecord = { readonly seq: Seq; readonly at: Instant; readonly fact: Fact };

/** A record as the store keeps it; `hash` covers `bytes`, which name the hash before. */
export type SealedRecord = {
  readonly seq: Seq;
  readonly at: Instant;
  readonly hash: Hash;
  readonly bytes: Uint8Array;
  readonly version: number;
};

export type ChainPoint = { readonly seq: Seq; readonly hash: Hash };

/** Small pieces of memory of their own take longer to get than a record takes to write. */
const slabBytes = 64 * 1024;
let slab = new Uint8Array(slabBytes);
let slabUsed = 0;

/** Records are written and let go of together, so they may lie in one piece of memory. */
function keepTogether({ buffer, length }: Written): Uint8Array {
  if (length > slabBytes / 16) return buffer.slice(0, length);
  if (slabUsed + length > slabBytes) {
    slab = new Uint8Array(slabBytes);
    slabUsed = 0;
  }
  const kept = slab.subarray(slabUsed, slabUsed + length);
  kept.set(buffer.subarray(0, length));
  slabUsed += length;
  return kept;
}

type Written = { readonly buffer: Uint8Array; readonly length: number };

function sealRecord(workflow: string, previous: ChainPoint, record: JournalRecord): SealedRecord {
  const { at, seq } = record;
  const fact = record.fact as unknown as CanonicalValue;
  const value = { at, v: factVersion, seq, fact, prev: previous.hash, workflow };
  const bytes = withCanonical(value, keepTogether);
  return { seq, at, hash: hashText(bytes), bytes, version: factVersion };
}

export function sealRecords(
  workflow: string,
  head: ChainPoint,
  records: readonly JournalRecord[],
): SealedRecord[] {
  let previous = head;
  return records.map((record) => {
    const sealed = sealRecord(workflow, previous, record);
    previous = sealed;
    return sealed;
  });
}

export type OpenedRecord =
  | { readonly ok: true; readonly record: JournalRecord; readonly version: number }
  | { readonly ok: false; readonly problem: "corrupt" | "version"; readonly note: string };

/** Checks one stored record against the chain. Never repairs, never guesses. */
export function openRecord(
  workflow: string,
  previous: ChainPoint,
  stored: { readonly seq: Seq; readonly hash: string; readonly bytes: Uint8Array },
): OpenedRecord {
  const corrupt = (note: string): OpenedRecord => ({ ok: false, problem: "corrupt", note });
  if (stored.seq !== previous.seq + 1) return corrupt(`expected seq ${previous.seq + 1}`);
  if (hashText(stored.bytes) !== stored.hash) return corrupt("the bytes do not match their hash");
  let value: CanonicalValue;
  try {
    value = decodeCanonical(stored.bytes);
  } catch (error) {
    return corrupt(`the bytes are not canonical: ${String(error)}`);
  }
  if (!hasHeading(value)) return corrupt("the heading is not one of ours");
  if (value.v > factVersion) {
    return { ok: false, problem: "version", note: `fact version ${value.v}, known ${factVersion}` };
  }
  if (value.prev !== previous.hash) return corrupt("the hash of the record before does not match");
  if (value.workflow !== workflow || value.seq !== stored.seq) {
    return corrupt(`the record belongs to ${value.workflow} at ${value.seq}`);
  }
  const { seq, at, fact, v: version } = value;
  return { ok: true, record: { seq, at, fact }, version };
}

/** The hash a checkpoint's record names as the one before it: where a shorter chain begins. */
export function previousHash(bytes: Uint8Array): Hash | null {
  const value = decodeCanonical(bytes);
  return hasHeading(value) ? (value.prev as Hash) : null;
}

type Heading = {
  at: number;
  fact: Fact;
  prev: string;
  seq: number;
  v: number;
  workflow: string;
};

function hasHeading(value: unknown): value is Heading {
  if (typeof value !== "object" || value === null) return false;
  const { at, fact, prev, seq, v, workflow } = value as Record<string, unknown>;
  return (
    typeof at === "number" &&
    typeof prev === "string" &&
    typeof seq === "number" &&
    typeof v === "number" &&
    typeof workflow === "string" &&
    typeof fact === "object" &&
    fact !== null &&
    typeof (fact as Record<string, unknown>)["kind"] === "string"
  );
}
