/** What stands in front of a record, without making a value of the rest of it. */
import { ByteReader } from "../canonical/byte-reader.ts";
import { readName } from "../canonical/read-text.ts";

export type Heading = { readonly seq: number; readonly kind: string; readonly outside: boolean };

/** After the tag of canonical bytes comes a map. */
const mapAt = 3;

/**
 * Null = it cannot be said so quickly. What comes behind the three fields is not looked at: whoever
 * goes by them compares the whole record with one that was made. Throws `CanonicalError`.
 */
export function skimHeading(bytes: Uint8Array): Heading | null {
  const reader = new ByteReader(bytes);
  reader.at = mapAt;
  const initial = reader.readByte();
  if (initial >>> 5 !== 5) return null;
  let seq: number | null = null;
  let kind: string | null = null;
  for (let left = reader.readCount(initial, 2); left > 0; left--) {
    const name = nameAt(reader);
    const value = reader.readByte();
    if (name === "seq" && value >>> 5 === 0) seq = reader.readArgument(value);
    else if (name === "kind" && value >>> 5 === 3) kind = readName(reader, value);
    else if (name === "outside" && (value === yes || value === no)) {
      return seq === null || kind === null ? null : { seq, kind, outside: value === yes };
    } else if (!pass(reader, value, 0)) return null;
  }
  return null;
}

const yes = 0xf5;
const no = 0xf4;

function nameAt(reader: ByteReader): string {
  const initial = reader.readByte();
  return initial >>> 5 === 3 ? readName(reader, initial) : "";
}

/** Deeper than what stands before these fields in any record. */
const depthMax = 8;

/** False = it is nothing that a record has there. `initial`: its first byte, already read. */
function pass(reader: ByteReader, initial: number, depth: number): boolean {
  const major = initial >>> 5;
  if (major === 7) return initial === yes || initial === no || initial === 0xf6;
  if (major < 2) return reader.readArgument(initial) >= -1;
  if (major < 4) return reader.skip(reader.readCount(initial, 1)) >= 0;
  if (major > 5 || depth > depthMax) return false;
  const each = major - 3;
  for (let left = reader.readCount(initial, each) * each; left > 0; left--) {
    if (!pass(reader, reader.readByte(), depth + 1)) return false;
  }
  return true;
}
