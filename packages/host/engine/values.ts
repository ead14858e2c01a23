import {
  type CanonicalValue,
  decodeCanonical,
  encodeCanonical,
  type JsonText,
  type Payload,
  type Store,
} from "@holdfast/core";

/** JSON of a script as canonical bytes; throws CanonicalError for what has none. */
export function toBytes(text: JsonText): Uint8Array {
  return encodeCanonical(JSON.parse(text) as CanonicalValue);
}

export function toJson(bytes: Uint8Array): JsonText {
  return JSON.stringify(decodeCanonical(bytes));
}

/** The bytes of a pinned value, from the row itself or from its blob. */
export async function bytesOf(
  store: Pick<Store, "loadBlob">,
  workflow: string,
  payload: Payload,
): Promise<Uint8Array> {
  return payload.inline ?? store.loadBlob(workflow, payload.hash);
}

export async function jsonOf(
  store: Pick<Store, "loadBlob">,
  workflow: string,
  payload: Payload | null,
): Promise<JsonText | undefined> {
  return payload === null ? undefined : toJson(await bytesOf(store, workflow, payload));
}
