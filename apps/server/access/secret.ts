import { hash as digest, randomBytes, timingSafeEqual } from "node:crypto";

/** Nobody finds one by trying; so a plain hash of it may be kept. */
const secretBytes = 32;

export function newSecret(): string {
  return randomBytes(secretBytes).toString("base64url");
}

export function hashOf(secret: string): string {
  return digest("sha256", secret, "hex");
}

/** Entries are never changed, only replaced; so their bytes are made once. */
const bytesOfEntries = new WeakMap<object, Buffer>();

function bytesOf(entry: { readonly hash: string }): Buffer {
  const known = bytesOfEntries.get(entry);
  if (known !== undefined) return known;
  const bytes = Buffer.from(entry.hash, "hex");
  bytesOfEntries.set(entry, bytes);
  return bytes;
}

/** Looks at every entry, and takes as long whichever it is. */
export function findByHash<T extends { readonly hash: string }>(
  entries: Iterable<T>,
  hash: string,
): T | null {
  const wanted = Buffer.from(hash, "hex");
  let found: T | null = null;
  for (const entry of entries) {
    if (timingSafeEqual(bytesOf(entry), wanted)) found = entry;
  }
  return found;
}
