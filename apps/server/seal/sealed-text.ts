import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

/** A credential as it may lie in a file: `{ "sealed": "…" }` in place of the text. */
export type SealedText = { readonly sealed: string };

const algorithm = "aes-256-gcm";
const formatVersion = Buffer.from([1]);
const ivBytes = 12;
const tagBytes = 16;

/** Version, nonce, tag, ciphertext; base64url. A new nonce each time. */
export function sealText(text: string, key: Uint8Array): SealedText {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(algorithm, key, iv).setAAD(formatVersion);
  const hidden = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  const bytes = Buffer.concat([formatVersion, iv, cipher.getAuthTag(), hidden]);
  return { sealed: bytes.toString("base64url") };
}

/** Null = it was sealed with another key, or has been changed since. */
export function unsealText({ sealed }: SealedText, key: Uint8Array): string | null {
  const bytes = Buffer.from(sealed, "base64url");
  const [version, start] = [bytes.subarray(0, 1), 1 + ivBytes + tagBytes];
  if (bytes.length < start || !version.equals(formatVersion)) return null;
  const iv = bytes.subarray(1, 1 + ivBytes);
  const decipher = createDecipheriv(algorithm, key, iv, { authTagLength: tagBytes });
  decipher.setAAD(version).setAuthTag(bytes.subarray(1 + ivBytes, start));
  const shown = decipher.update(bytes.subarray(start));
  try {
    return Buffer.concat([shown, decipher.final()]).toString("utf8");
  } catch {
    // The tag does not fit; there is no other reason.
    return null;
  }
}

export function isSealed(value: unknown): value is SealedText {
  if (typeof value !== "object" || value === null) return false;
  const { sealed } = value as { readonly sealed?: unknown };
  return typeof sealed === "string" && Object.keys(value).length === 1;
}
