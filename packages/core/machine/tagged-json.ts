/**
 * Values on their way into an isolate and out of it: JSON, in which integers beyond what a number
 * holds, bytes and maps are records with one field that says what they are. A record that looks
 * like one of these is wrapped, so that nothing an author writes can pass for another value.
 */
import { type CanonicalValue, isPlainObject } from "../canonical/index.ts";
import { hex, unhex } from "./hex.ts";

const tags = ["$int", "$bytes", "$map", "$plain"];

export function taggedText(value: CanonicalValue): string {
  return JSON.stringify(tagged(value));
}

function tagged(value: CanonicalValue): unknown {
  if (typeof value === "bigint") return { $int: String(value) };
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Uint8Array) return { $bytes: hex(value) };
  if (Array.isArray(value)) return value.map(tagged);
  if (value instanceof Map) {
    return { $map: [...value].map(([key, part]) => [tagged(key), tagged(part)]) };
  }
  const entries = Object.entries(value).map(([name, part]) => [name, tagged(part)] as const);
  const plain = Object.fromEntries(entries);
  return entries.some(([name]) => tags.includes(name)) ? { $plain: plain } : plain;
}

/** What a guest gave out; the kernel judges it. Throws for text that no guest writes. */
export function readTagged(text: string): unknown {
  return untagged(JSON.parse(text));
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
