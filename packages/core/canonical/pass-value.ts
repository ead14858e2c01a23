import type { ByteReader } from "./byte-reader.ts";

/** Deeper than what is passed over anywhere. */
const depthMax = 8;

const [no, yes, none] = [0xf4, 0xf5, 0xf6];

/**
 * Moves past a value without making it. False = it is deeper than that, or no value of a kind that
 * is passed over. `initial`: its first byte, already read.
 */
export function passValue(reader: ByteReader, initial: number, depth = 0): boolean {
  const major = initial >>> 5;
  if (major === 7) return initial === yes || initial === no || initial === none;
  if (major < 2) return reader.readArgument(initial) >= -1;
  if (major < 4) return reader.skip(reader.readCount(initial, 1)) >= 0;
  if (major > 5 || depth > depthMax) return false;
  const each = major - 3;
  for (let left = reader.readCount(initial, each) * each; left > 0; left--) {
    if (!passValue(reader, reader.readByte(), depth + 1)) return false;
  }
  return true;
}
