import { decodeCanonical, encodeCanonical, type Hash, splitRecord } from "@holdfast/core";
import type { KnownRoots, PublicKey } from "@holdfast/core/machine";

export type KnownKey = PublicKey;

/** What one row of frames holds besides its numbers. */
export type FrameBody = {
  readonly records: readonly Uint8Array[];
  /** Keys that sign for the first time in these records. */
  readonly keys: readonly KnownKey[];
  /** Versions that its manifest records name, so that they can be loaded first. */
  readonly versions: readonly Hash[];
  /** Blobs that its records name by hash; absent = there are none. */
  readonly kept?: readonly Hash[];
};

/** The snapshot before, by the row that has it and the hash of its body. */
export type EarlierSnapshot = { readonly firstSeq: number; readonly hash: Hash };

/** The kernel after a frame, and all that is needed to go on from it. */
export type SnapshotBody = {
  readonly kernel: Uint8Array;
  readonly version: Hash;
  readonly keys: readonly KnownKey[];
  /** Every receipt up to this record is in it; absent = up to its own height. */
  readonly receiptHorizon?: number;
  /** Null = there is none before it. */
  readonly previous: EarlierSnapshot | null;
  /** What led to what is under way; absent = nobody had noted it. */
  readonly roots?: KnownRoots;
};

const format = 1;
/** The first had every cell in one piece. */
const snapshotFormat = 2;

export function encodeFrameBody({ records, keys, versions, kept = [] }: FrameBody): Uint8Array {
  const beside = kept.length === 0 ? {} : { kept };
  return encodeCanonical({ format, records, keys, versions, ...beside });
}

export function encodeSnapshotBody(body: SnapshotBody): Uint8Array {
  return encodeCanonical({ format: snapshotFormat, ...body });
}

/** The store has checked the bytes against their hash; they are ours. */
export function decodeFrameBody(bytes: Uint8Array): FrameBody {
  return asFrame(decode(bytes));
}

function asFrame(body: { readonly format?: unknown }): FrameBody {
  if (body.format === format) return body as unknown as FrameBody;
  throw new Error(`A frame of machines has the format ${String(body.format)}, not ${format}.`);
}

/** One whose records are passed on as they stand there: the canonical bytes of their list. */
export type ClosedFrame = Omit<FrameBody, "records"> & { readonly records: Uint8Array };

/** As `decodeFrameBody`, where somebody else reads the records. */
export function splitFrameBody(bytes: Uint8Array): ClosedFrame {
  const { records, ...others } = Object.fromEntries(splitRecord(bytes) ?? []);
  if (records === undefined) {
    const read = decodeFrameBody(bytes);
    return { ...read, records: encodeCanonical(read.records) };
  }
  const read = Object.entries(others).map(([name, field]) => [name, decodeCanonical(field)]);
  return { ...asFrame(Object.fromEntries(read)), records };
}

/** Null = it is of an older form: the journal before it is enough. */
export function decodeSnapshotBody(bytes: Uint8Array): SnapshotBody | null {
  const body = decode(bytes);
  if (body.format === snapshotFormat) return body as unknown as SnapshotBody;
  if (body.format === 1) return null;
  throw new Error(`A snapshot of machines has the format ${String(body.format)}.`);
}

function decode(bytes: Uint8Array): { readonly format?: unknown } {
  return decodeCanonical(bytes) as { readonly format?: unknown };
}
