import { hashText, type JsonText } from "@holdfast/core";

/** Dotted paths in params and results that must not be shown; `*` = every item or key. */
export type SecretFields = {
  readonly params: readonly string[];
  readonly result: readonly string[];
};

export const traceBytesMax = 8_192;

const hidden = "[hidden]";

/** Text for the trace: fields hidden, and what is too long given by size and hash. */
export function forTrace(text: JsonText, secretPaths: readonly string[]): JsonText {
  const shown = secretPaths.length === 0 ? text : hide(text, secretPaths);
  const bytes = new TextEncoder().encode(shown);
  return bytes.length <= traceBytesMax ? shown : bySizeAndHash(bytes);
}

/** What a producer keeps for itself is shown to nobody; that there is nothing may be seen. */
export function keptValueForTrace(text: JsonText): JsonText {
  return text === "null" ? text : bySizeAndHash(new TextEncoder().encode(text));
}

function bySizeAndHash(bytes: Uint8Array): JsonText {
  return JSON.stringify({ $bytes: bytes.length, $hash: hashText(bytes) });
}

function hide(text: JsonText, secretPaths: readonly string[]): JsonText {
  const value: unknown = JSON.parse(text);
  for (const path of secretPaths) hideAt(value, path.split("."));
  return JSON.stringify(value);
}

function hideAt(value: unknown, [name, ...rest]: readonly string[]): void {
  if (typeof value !== "object" || value === null || name === undefined) return;
  const holder = value as Record<string, unknown>;
  for (const key of name === "*" ? Object.keys(holder) : [name]) {
    if (!Object.hasOwn(holder, key)) continue;
    if (rest.length === 0) holder[key] = hidden;
    else hideAt(holder[key], rest);
  }
}
