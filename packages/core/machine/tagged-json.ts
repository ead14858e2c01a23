/**
 * Values on their way into an isolate and out of it, as JSON. Integers beyond what a number holds,
 * bytes and maps are records with one field that says what they are. Out of an isolate they stand
 * in their places, and a record that looks like one of these is wrapped, so that nothing an author
 * writes can pass for another value. Into an isolate they come apart, with the way to their places:
 * a guest then has to look at nothing else.
 */
import { type CanonicalValue, isPlainObject } from "../canonical/index.ts";
import { setOwn } from "../canonical/plain-object.ts";
import { hex, unhex } from "./hex.ts";

const tags = ["$int", "$bytes", "$map", "$plain"];

type Way = readonly (string | number)[];
export type Apart = [way: Way, tagged: unknown][];

/** What a step is called with: the text of each value, and what JSON could not say in them. */
export function guestTexts<Name extends string>(
  values: Readonly<Record<Name, CanonicalValue>>,
): Readonly<Record<Name | "apart", string>> {
  const apart: Apart = [];
  const texts: Record<string, string> = {};
  for (const [name, value] of Object.entries<CanonicalValue>(values)) {
    texts[name] = JSON.stringify(plainOf(value, [name], apart));
  }
  texts["apart"] = JSON.stringify(apart);
  return texts as Record<Name | "apart", string>;
}

/** The value itself if JSON can say it, else a copy with nothing in those places. */
function plainOf(value: CanonicalValue, way: Way, apart: Apart): unknown {
  if (typeof value !== "bigint" && (typeof value !== "object" || value === null)) return value;
  if (typeof value === "bigint" || value instanceof Uint8Array || value instanceof Map) {
    apart.push([way, tagged(value)]);
    return null;
  }
  if (Array.isArray(value)) return value.map((part, at) => plainOf(part, [...way, at], apart));
  let copy: Record<string, unknown> | null = null;
  for (const [name, part] of Object.entries(value)) {
    if (typeof part !== "bigint" && (typeof part !== "object" || part === null)) continue;
    const plain = plainOf(part, [...way, name], apart);
    if (plain === part) continue;
    copy ??= { ...value };
    setOwn(copy, name, plain);
  }
  return copy ?? value;
}

type OfBytes = (bytes: Uint8Array) => unknown;

/** A list, because a guest takes longer to read digits. */
const asList: OfBytes = (bytes) => [...bytes];

export function tagged(value: CanonicalValue, ofBytes: OfBytes = asList): unknown {
  const inner = (part: CanonicalValue) => tagged(part, ofBytes);
  if (typeof value === "bigint") return { $int: String(value) };
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Uint8Array) return { $bytes: ofBytes(value) };
  if (Array.isArray(value)) return value.map(inner);
  if (value instanceof Map) {
    return { $map: [...value].map(([key, part]) => [inner(key), inner(part)]) };
  }
  const entries = Object.entries(value).map(([name, part]) => [name, inner(part)] as const);
  const plain = Object.fromEntries(entries);
  return entries.some(([name]) => tags.includes(name)) ? { $plain: plain } : plain;
}

/** As text that `readTagged` takes for the same value. */
export function exactText(value: CanonicalValue): string {
  return JSON.stringify(tagged(value, hex));
}

/** Wherever one of the tags may be, or a letter that is written by its number. */
const anyTag = /"\$(?:int|bytes|map|plain)"|\\u/;

/** What a guest gave out; the kernel judges it. Throws for text that no guest writes. */
export function readTagged(text: string): unknown {
  return readReturned(text).value;
}

/** `isPlain`: it is what JSON says, as it stands there. */
export function readReturned(text: string): { readonly value: unknown; readonly isPlain: boolean } {
  const value: unknown = JSON.parse(text);
  const isPlain = !anyTag.test(text);
  return { value: isPlain ? value : untagged(value), isPlain };
}

function untagged(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(untagged);
  if (!isPlainObject(value)) return value;
  const { $int: int, $bytes: bytes, $map: map, $plain: plain } = value;
  if (typeof int === "string") return BigInt(int);
  if (typeof bytes === "string") return unhex(bytes);
  if (Array.isArray(map)) {
    return new Map(map.map(([key, part]) => [untagged(key), untagged(part)]));
  }
  const fields = isPlainObject(plain) ? plain : value;
  return Object.fromEntries(Object.entries(fields).map(([name, part]) => [name, untagged(part)]));
}
