import { z } from "zod";

const account = z.strictObject({
  connector: z.literal("http"),
  baseUrl: z.url({ protocol: /^https?$/ }),
  headers: z.record(z.string(), z.string()).default({}),
  /** For the answer of one request. */
  timeoutMs: z.int().min(1).max(600_000).default(30_000),
  /** Loopback and local networks: a script must not reach what only this machine should. */
  allowPrivateAddresses: z.boolean().default(false),
});

export type HttpAccount = z.infer<typeof account>;

export function readAccount(given: unknown): HttpAccount {
  return account.parse(given);
}
