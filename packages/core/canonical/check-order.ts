import type { ByteReader } from "./byte-reader.ts";

/** Of two keys of a map. The one just read ends where the reader stands. */
export function checkOrder(
  reader: ByteReader,
  previousAt: number,
  previousEnd: number,
  keyAt: number,
): void {
  const { bytes } = reader;
  const shared = Math.min(previousEnd - previousAt, reader.at - keyAt);
  for (let at = 0; at < shared; at++) {
    const previous = bytes[previousAt + at] ?? 0;
    const current = bytes[keyAt + at] ?? 0;
    if (previous < current) return;
    if (previous > current) {
      reader.refuse("CANONICAL_KEY_ORDER", "map keys are not in canonical order", keyAt);
    }
  }
  // Two encoded keys never begin one another, so equal so far means equal.
  reader.refuse("CANONICAL_KEY_DUPLICATE", "a map key appears twice", keyAt);
}
