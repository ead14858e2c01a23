import { validateHeaderName, validateHeaderValue } from "node:http";
import { z } from "zod";

function isPlain(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { username, password, search, hash } = new URL(text);
  return username === "" && password === "" && search === "" && hash === "";
}

function isHeader([name, value]: readonly [string, string]): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}

const account = z.strictObject({
  connector: z.literal("http"),
  baseUrl: z
    .url({ protocol: /^https?$/ })
    .refine((text) => isPlain(text), "it may not hold a user, a query or a fragment"),
  headers: z
    .record(z.string(), z.string())
    .default({})
    .refine((headers) => Object.entries(headers).every(isHeader), "a header cannot be sent"),
  /** For the answer of one request. */
  timeoutMs: z.int().min(1).max(600_000).default(30_000),
  /** Loopback and local networks: a script must not reach what only this machine should. */
  allowPrivateAddresses: z.boolean().default(false),
});

export type HttpAccount = z.infer<typeof account>;

export function readAccount(given: unknown): HttpAccount {
  return account.parse(given);
}
