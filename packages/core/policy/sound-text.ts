/**
 * Text that every store can keep as it is: no lone surrogates, and no U+0000, which PostgreSQL
 * has no place for.
 */
export function isSoundText(text: string): boolean {
  return text.isWellFormed() && !text.includes("\u0000");
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function isUtf8(bytes: Uint8Array): boolean {
  try {
    decoder.decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** For people's eyes: what cannot be kept becomes U+FFFD, visibly. */
export function mendText(text: string): string {
  return text.toWellFormed().replaceAll("\u0000", "\uFFFD");
}
