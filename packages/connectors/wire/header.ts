import { validateHeaderName, validateHeaderValue } from "node:http";
import { z } from "zod";

function canSend(name: string, value: string): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}

export const headerName = z
  .string()
  .max(100)
  .refine((name) => canSend(name, ""), "it is no name of a header");

export const headerValue = z
  .string()
  .min(1)
  .max(8_000)
  .refine((value) => canSend("x", value), "it cannot be sent in a header");

/** They say how a request is sent, or under which condition; neither is the account's to say. */
const reserved = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "if-match",
  "if-none-match",
  "transfer-encoding",
  "upgrade",
]);

/** Null, or what is wrong with these names together. */
export function faultOfNames(names: readonly string[]): string | null {
  const seen = new Set<string>();
  for (const name of names.map((each) => each.toLowerCase())) {
    if (reserved.has(name)) return `the header ${name} is not the account's to set`;
    if (seen.has(name)) return `the header ${name} is set twice`;
    seen.add(name);
  }
  return null;
}

export const headers = z.record(headerName, headerValue).default({});
