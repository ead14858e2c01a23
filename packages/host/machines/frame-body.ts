import { decodeCanonical, encodeCanonical, type Hash } from "@holdfast/core";

/** A public key as the journal has it: whose it is, and what is signed with its other half. */
export type KnownKey = {
  readonly keyId: string;
  readonly module: string;
  readonly publicKey: Uint8Array;
};

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

/** The kernel after a frame, and all that is needed to go on from it. */
export type SnapshotBody = {
  readonly kernel: Uint8Array;
  readonly version: Hash;
  readonly keys: readonly KnownKey[];
};

const format = 1;

export function encodeFrameBody({ records, keys, versions, kept = [] }: FrameBody): Uint8Array {
  const beside = kept.length === 0 ? {} : { kept };
  return encodeCanonical({ format, records, keys, versions, ...beside });
}

export function encodeSnapshotBody({ kernel, version, keys }: SnapshotBody): Uint8Array {
  return encodeCanonical({ format, kernel, version, keys });
}

/** The store has checked the bytes against their hash; they are ours. */
export function decodeFrameBody(bytes: Uint8Array): FrameBody {
  return decode(bytes) as FrameBody;
}

export function decodeSnapshotBody(bytes: Uint8Array): SnapshotBody {
  return decode(bytes) as SnapshotBody;
}

function decode(bytes: Uint8Array): unknown {
  const body = decodeCanonical(bytes) as { readonly format?: unknown };
  if (body.format === format) return body;
  throw new Error(`A frame of machines has the format ${String(body.format)}, not ${format}.`);
}
