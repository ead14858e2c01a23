import { createHash } from "node:crypto";
import { type Hide, hiding } from "@holdfast/connector-kit";
import { z } from "zod";
import { faultOfNames, headers } from "../wire/header.ts";

function isPlain(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { username, password, hash } = new URL(text);
  return username === "" && password === "" && hash === "";
}

export const signatureHeader = "x-holdfast-signature";

const account = z
  .strictObject({
    connector: z.literal("webhook"),
    /** Whoever knows it may often push: it is kept like a secret. */
    url: z
      .url({ protocol: /^https?$/ })
      .refine((text) => isPlain(text), "it may not hold a user or a fragment"),
    /** Both sides know it; what is sent is signed with it. */
    secret: z.string().min(16).max(1_000),
    headers,
    /** For the answer of one request. */
    timeoutMs: z.int().min(1).max(600_000).default(30_000),
    allowPrivateAddresses: z.boolean().default(false),
  })
  .superRefine(({ headers: own }, context) => {
    const fault = faultOfNames([...Object.keys(own), signatureHeader, "content-type"]);
    if (fault !== null) context.addIssue(fault);
  });

export type WebhookAccount = z.infer<typeof account>;

export function readAccount(given: unknown): WebhookAccount {
  return account.parse(given);
}

/** Where it leads, without what may be secret in it; another url is another target. */
export function placeOf({ url }: WebhookAccount): string {
  const mark = createHash("sha256").update(url).digest("hex").slice(0, 12);
  return `${new URL(url).origin} (${mark})`;
}

/** What the receiver says is data, so only what is certainly a secret is taken out of it. */
export function hidersOf({ secret, url, headers: own }: WebhookAccount) {
  const { pathname, search } = new URL(url);
  const hideInError: Hide = hiding([secret, url, pathname, search, ...Object.values(own)]);
  return { hideInError, hideInResult: hiding([secret, url]) };
}
