import type { ByteWriter } from "./byte-writer.ts";
import { CanonicalError } from "./canonical-error.ts";
import { canonicalBytesMax } from "./canonical-value.ts";

const majorText = 0x60;
/** Hashes, the longest of the texts that are everywhere, have 71. */
const loopCharsMax = 80;
const inPlaceCharsMax = 16 * 1024;
const utf8BytesPerCharMax = 3;
const headBytesMax = 9;
const encoder = new TextEncoder();

export function writeText(writer: ByteWriter, text: string): void {
  if (text.length <= loopCharsMax && writeShortAscii(writer, text)) return;
  // TextEncoder would replace a lone surrogate, and two different texts would hash alike.
  if (!text.isWellFormed()) {
    throw new CanonicalError("CANONICAL_TEXT_MALFORMED", "text with a lone surrogate");
  }
  if (text.length <= inPlaceCharsMax) {
    writeInPlace(writer, text);
    return;
  }
  if (text.length > canonicalBytesMax) {
    throw new CanonicalError("CANONICAL_TOO_LARGE", `over ${canonicalBytesMax} bytes`);
  }
  const bytes = encoder.encode(text);
  writer.writeHead(majorText, bytes.length);
  writer.writeBytes(bytes);
}

/** Crossing into the native encoder costs more than writing a short name byte by byte. */
function writeShortAscii(writer: ByteWriter, text: string): boolean {
  const start = writer.length;
  writer.writeHead(majorText, text.length);
  writer.reserve(text.length);
  const { buffer, length } = writer;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > 0x7f) {
      writer.length = start;
      return false;
    }
    buffer[length + at] = code;
  }
  writer.length = length + text.length;
  return true;
}

/** Ten times faster than letting the encoder allocate. The head's size is known only afterwards. */
function writeInPlace(writer: ByteWriter, text: string): void {
  writer.reserve(headBytesMax + text.length * utf8BytesPerCharMax);
  const bodyAt = writer.length + headBytesMax;
  const { written } = encoder.encodeInto(text, writer.buffer.subarray(bodyAt));
  writer.writeHead(majorText, written);
  writer.buffer.copyWithin(writer.length, bodyAt, bodyAt + written);
  writer.length += written;
}
