import type { IndexEntry } from "./index-node.ts";

/** `{ leaf: [[at, value], …] }` as canonical bytes begin. */
const opening = [0xd9, 0xd9, 0xf7, 0xa1, 0x64, 0x6c, 0x65, 0x61, 0x66] as const;
const placeBytes = 32;
/** A list of two, and in it first a place. */
const entryOpening = [0x82, 0x58, placeBytes] as const;
const listMajor = 0x80;
const bytesMajor = 0x40;

type Head = { readonly length: number; readonly next: number };

/**
 * The entries of a leaf as pieces of its own bytes: to copy each would leave so many small buffers
 * behind that they, and not what is looked for, fill the memory. Null = it is read by the long way,
 * which also says what is wrong with it.
 */
export function readLeaf(bytes: Uint8Array): readonly IndexEntry[] | null {
  if (!startsWith(bytes, opening, 0)) return null;
  const list = readHead(bytes, opening.length, listMajor);
  if (list === null) return null;
  const entries: IndexEntry[] = [];
  let at = list.next;
  for (let count = 0; count < list.length; count++) {
    if (!startsWith(bytes, entryOpening, at)) return null;
    const place = at + entryOpening.length;
    const value = readHead(bytes, place + placeBytes, bytesMajor);
    if (value === null) return null;
    at = value.next + value.length;
    if (at > bytes.length) return null;
    const own = bytes.subarray(value.next, at);
    entries.push({ at: bytes.subarray(place, place + placeBytes), value: own });
  }
  return at === bytes.length ? entries : null;
}

function startsWith(bytes: Uint8Array, wanted: readonly number[], from: number): boolean {
  return wanted.every((byte, at) => bytes[from + at] === byte);
}

/** Lengths of up to two bytes, in their shortest form. */
function readHead(bytes: Uint8Array, at: number, major: number): Head | null {
  const short = (bytes[at] ?? 0) - major;
  if (short >= 0 && short < 24) return { length: short, next: at + 1 };
  const [first = 0, second = 0] = [bytes[at + 1], bytes[at + 2]];
  if (short === 24) return first < 24 ? null : { length: first, next: at + 2 };
  const both = first * 256 + second;
  return short === 25 && both >= 256 ? { length: both, next: at + 3 } : null;
}
