/** What stands in front of a record, without making a value of the rest of it. */
import { ByteReader } from "../canonical/byte-reader.ts";
import { passValue } from "../canonical/pass-value.ts";
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
    } else if (!passValue(reader, value)) return null;
  }
  return null;
}

const yes = 0xf5;
const no = 0xf4;

function nameAt(reader: ByteReader): string {
  const initial = reader.readByte();
  return initial >>> 5 === 3 ? readName(reader, initial) : "";
}
