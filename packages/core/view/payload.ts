import { type Hash, hashText } from "../canonical/index.ts";

/** Payloads up to this size live in the row and the fact; larger ones are stored once as blobs. */
export const payloadInlineBytesMax = 512;

/**
 * A pinned value: canonical bytes known by their hash. `inline` is null when the bytes are a
 * blob, so that erasing the blob leaves every fact and hash valid.
 */
export type Payload = {
  readonly hash: Hash;
  readonly size: number;
  readonly inline: Uint8Array | null;
};

export type Blob = { readonly hash: Hash; readonly bytes: Uint8Array };

/** `blob` must be stored in the same change as the fact that carries `payload`. */
export function pinPayload(bytes: Uint8Array): { payload: Payload; blob: Blob | null } {
  const hash = hashText(bytes);
  if (bytes.length <= payloadInlineBytesMax) {
    return { payload: { hash, size: bytes.length, inline: bytes }, blob: null };
  }
  return { payload: { hash, size: bytes.length, inline: null }, blob: { hash, bytes } };
}
