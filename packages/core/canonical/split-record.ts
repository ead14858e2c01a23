import { ByteReader } from "./byte-reader.ts";
import { checkOrder } from "./check-order.ts";
import { passValue } from "./pass-value.ts";
import { readName } from "./read-text.ts";

/** What canonical bytes begin with. */
const tag = Uint8Array.of(0xd9, 0xd9, 0xf7);

/**
 * The fields of a record, each as canonical bytes of its own. What is in them is checked by whoever
 * reads it: a large one can be handed on without anything being made of it. Null = it is no record,
 * or holds what cannot be passed over. Throws `CanonicalError`.
 */
export function splitRecord(bytes: Uint8Array): ReadonlyMap<string, Uint8Array> | null {
  const reader = readerOf(bytes);
  const initial = reader.readByte();
  if (initial >>> 5 !== 5) return null;
  const fields = new Map<string, Uint8Array>();
  let [previousAt, previousEnd] = [reader.at, reader.at];
  for (let left = reader.readCount(initial, 2); left > 0; left--) {
    const nameAt = reader.at;
    const nameInitial = reader.readByte();
    if (nameInitial >>> 5 !== 3) return null;
    const name = readName(reader, nameInitial);
    const start = reader.at;
    if (fields.size > 0) checkOrder(reader, previousAt, previousEnd, nameAt);
    [previousAt, previousEnd] = [nameAt, start];
    if (!passValue(reader, reader.readByte())) return null;
    const field = new Uint8Array(tag.length + reader.at - start);
    field.set(tag);
    field.set(bytes.subarray(start, reader.at), tag.length);
    fields.set(name, field);
  }
  return reader.at === bytes.length ? fields : null;
}

/**
 * As `decodeCanonical`, of a list of byte strings, which stay where they are: to copy each takes
 * longer than to read it. Whoever keeps one keeps all.
 */
export function readByteStrings(bytes: Uint8Array): readonly Uint8Array[] {
  const reader = readerOf(bytes);
  const strings: Uint8Array[] = [];
  for (let left = countOf(reader, 4, "a list"); left > 0; left--) {
    const count = countOf(reader, 2, "byte strings");
    const start = reader.skip(count);
    strings.push(bytes.subarray(start, start + count));
  }
  if (reader.at !== bytes.length) {
    reader.refuse("CANONICAL_TRAILING_BYTES", "bytes follow the value", reader.at);
  }
  return strings;
}

/** Behind the tag. */
function readerOf(bytes: Uint8Array): ByteReader {
  const reader = new ByteReader(bytes);
  if (tag.some((byte, at) => bytes[at] !== byte)) {
    reader.refuse("CANONICAL_TAG_MISSING", "the bytes do not begin with d9d9f7", 0);
  }
  reader.at = tag.length;
  return reader;
}

function countOf(reader: ByteReader, major: number, what: string): number {
  const initial = reader.readByte();
  if (initial >>> 5 === major) return reader.readCount(initial, 1);
  return reader.refuse("CANONICAL_MALFORMED", `this is to be ${what}`, reader.at - 1);
}
