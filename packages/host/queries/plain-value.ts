import { type CanonicalValue, decodeCanonical, type Payload, type Store } from "@holdfast/core";
import { bytesOf } from "../engine/values.ts";
import type { JsonValue } from "./answers.ts";

/** What JSON has no form for is shown as text, so that nothing is lost without a trace. */
export function plainValue(value: CanonicalValue): JsonValue {
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  if (Array.isArray(value)) return value.map(plainValue);
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  return Object.fromEntries(entries.map(([key, each]) => [String(key), plainValue(each)]));
}

export async function plainPayload(
  store: Pick<Store, "loadBlob">,
  workflow: string,
  payload: Payload,
): Promise<JsonValue> {
  return plainValue(decodeCanonical(await bytesOf(store, workflow, payload)));
}
