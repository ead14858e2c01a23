import { type Blob, hashText } from "@holdfast/core";

/** Some 25 pages of the log. */
export const partBytes = 100_000;

/** Another one for each number. */
export function largePart(number: number): Blob {
  const bytes = new Uint8Array(partBytes);
  new DataView(bytes.buffer).setUint32(0, number);
  return { hash: hashText(bytes), bytes };
}
