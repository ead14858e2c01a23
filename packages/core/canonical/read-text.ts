import type { ByteReader } from "./byte-reader.ts";

const loopBytesMax = 24;
// A byte order mark is a character of the text like any other; dropping it would change the text.
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads the text whose head began with `initial`. */
export function readText(reader: ByteReader, initial: number): string {
  const headAt = reader.at - 1;
  const count = reader.readCount(initial, 1);
  const start = reader.skip(count);
  if (count <= loopBytesMax) {
    const short = readShortAscii(reader.bytes, start, count);
    if (short !== null) return short;
  }
  try {
    return decoder.decode(reader.bytes.subarray(start, start + count));
  } catch {
    return reader.refuse("CANONICAL_TEXT_MALFORMED", "text is not valid UTF-8", headAt);
  }
}

/** Crossing into the native decoder costs more than a few characters do. */
function readShortAscii(bytes: Uint8Array, start: number, count: number): string | null {
  let text = "";
  for (let at = start; at < start + count; at++) {
    const byte = bytes[at] ?? 0;
    if (byte > 0x7f) return null;
    text += String.fromCharCode(byte);
  }
  return text;
}
