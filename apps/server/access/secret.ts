import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** Nobody finds one by trying; so a plain hash of it may be kept. */
const secretBytes = 32;

export function newSecret(): string {
  return randomBytes(secretBytes).toString("base64url");
}

export function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

/** Looks at every entry, and takes as long whichever it is. */
export function findByHash<T extends { readonly hash: string }>(
  entries: Iterable<T>,
  hash: string,
): T | null {
  const wanted = Buffer.from(hash, "hex");
  let found: T | null = null;
  for (const entry of entries) {
    if (timingSafeEqual(Buffer.from(entry.hash, "hex"), wanted)) found = entry;
  }
  return found;
}
