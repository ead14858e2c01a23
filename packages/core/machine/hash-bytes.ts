import type { Hash } from "../canonical/index.ts";
import { hex, unhex } from "./hex.ts";

const prefix = "sha256:";

const cachedMax = 1024;
/** The hashes of versions, machines and effects stand in record after record. */
const cache = new Map<Hash, Uint8Array>();

/** Records hold hashes as 32 bytes; names and envelopes as text. Not to be written into. */
export function hashBytes(hash: Hash): Uint8Array {
  const known = cache.get(hash);
  if (known !== undefined) return known;
  const bytes = rareHashBytes(hash);
  if (cache.size >= cachedMax) cache.clear();
  cache.set(hash, bytes);
  return bytes;
}

/** The same of a hash that hardly comes twice: it would push out those that do. */
export function rareHashBytes(hash: Hash): Uint8Array {
  return unhex(hash.slice(prefix.length));
}

export function hashOfBytes(bytes: Uint8Array): Hash {
  return `${prefix}${hex(bytes)}` as Hash;
}
