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

/** The names of fields stand in record after record; longer ones are seldom names of fields. */
const nameBytesMax = 32;
const nameSlots = 2048;

type KnownName = { readonly bytes: Uint8Array; readonly text: string };

/** A slot has the name that came last of all that belong there, so it stays small of itself. */
const names: (KnownName | undefined)[] = new Array<KnownName | undefined>(nameSlots).fill(
  undefined,
);

/**
 * As `readText`, for the names of fields and other texts of which there are few. To make the text
 * and to find what the engine keeps names under takes several times as long as to compare it.
 */
export function readName(reader: ByteReader, initial: number): string {
  const from = reader.at;
  const count = reader.readCount(initial, 1);
  if (count > nameBytesMax) {
    reader.at = from;
    return readText(reader, initial);
  }
  const { bytes } = reader;
  const start = reader.skip(count);
  const slot = slotOf(bytes, start, count);
  const known = names[slot];
  if (known !== undefined && isThere(known.bytes, bytes, start, count)) return known.text;
  reader.at = from;
  const text = asName(readText(reader, initial));
  names[slot] = { bytes: reader.copyFrom(start), text };
  return text;
}

function slotOf(bytes: Uint8Array, start: number, count: number): number {
  let mixed = count;
  for (let at = start; at < start + count; at++) mixed = (mixed * 31 + (bytes[at] ?? 0)) & 0xffffff;
  return mixed % nameSlots;
}

function isThere(name: Uint8Array, bytes: Uint8Array, start: number, count: number): boolean {
  if (name.length !== count) return false;
  for (let at = 0; at < count; at++) if (name[at] !== bytes[start + at]) return false;
  return true;
}

/** The same text, as the engine keeps it for names of properties: it is found at once there. */
function asName(text: string): string {
  const [name = text] = Object.keys({ [text]: null });
  return name;
}

/** One for each length, so that none has to be made for a text. */
const codesOf = Array.from({ length: loopBytesMax + 1 }, (_, count) =>
  new Array<number>(count).fill(0),
);

/**
 * Crossing into the native decoder costs more than a few characters do. A text that is made in one
 * piece takes a third of the time of one that is put together, and is found sooner in a map.
 */
function readShortAscii(bytes: Uint8Array, start: number, count: number): string | null {
  const codes = codesOf[count];
  if (codes === undefined) return null;
  for (let at = 0; at < count; at++) {
    const byte = bytes[start + at] ?? 0;
    if (byte > 0x7f) return null;
    codes[at] = byte;
  }
  return String.fromCharCode.apply(null, codes);
}
