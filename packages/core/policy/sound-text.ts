/**
 * Text that every store can keep as it is: no lone surrogates, and no U+0000, which PostgreSQL
 * has no place for.
 */
export function isSoundText(text: string): boolean {
  return text.isWellFormed() && !text.includes("\u0000");
}

/** For people's eyes: what cannot be kept becomes U+FFFD, visibly. */
export function mendText(text: string): string {
  return text.toWellFormed().replaceAll("\u0000", "\uFFFD");
}
