import { hash } from "node:crypto";
import type { CanonicalValue } from "./canonical-value.ts";
import { withCanonical } from "./encode-canonical.ts";

declare const hashBrand: unique symbol;

/** `sha256:` and 64 lower-case hex digits. */
export type Hash = string & { readonly [hashBrand]: true };

const hashPattern = /^sha256:[0-9a-f]{64}$/;

const byteCount = 32;

/**
 * The 32 raw bytes, the form in which hashes are stored inside canonical values. They come as a
 * text with one character for each: a buffer of the crypto library takes three times as long, and
 * has memory of its own that somebody has to give back.
 */
export function sha256(bytes: Uint8Array): Uint8Array {
  const text = hash("sha256", bytes, "binary");
  const raw = new Uint8Array(byteCount);
  for (let at = 0; at < byteCount; at++) raw[at] = text.charCodeAt(at);
  return raw;
}

export function hashText(bytes: Uint8Array): Hash {
  return `sha256:${hash("sha256", bytes, "hex")}` as Hash;
}

/** Identity of a value: the hash of its canonical bytes, tag included. */
export function contentHash(value: CanonicalValue): Hash {
  return withCanonical(value, ({ buffer, length }) => hashText(buffer.subarray(0, length)));
}

/** The same as raw bytes. */
export function contentSha256(value: CanonicalValue): Uint8Array {
  return withCanonical(value, ({ buffer, length }) => sha256(buffer.subarray(0, length)));
}

/** Null for anything but the one spelling, so that equal hashes are equal strings. */
export function parseHash(text: unknown): Hash | null {
  return typeof text === "string" && hashPattern.test(text) ? (text as Hash) : null;
}
