import type { Keeping } from "@holdfast/connector-kit";
import { z } from "zod";
import { faultOfNames, headerName, headers, headerValue } from "../wire/header.ts";
import { type lookup, lookups } from "./lookup.ts";
import { oauth2 } from "./oauth2.ts";
import { type SignIn, signInOf } from "./sign-in.ts";

function isPlain(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { username, password, search, hash } = new URL(text);
  return username === "" && password === "" && search === "" && hash === "";
}

const auth = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("bearer"), token: headerValue }),
  z.strictObject({
    kind: z.literal("basic"),
    user: z.string().refine((user) => !user.includes(":"), "it may not hold a colon"),
    password: z.string(),
  }),
  z.strictObject({ kind: z.literal("header"), name: headerName, value: headerValue }),
  oauth2,
]);

export type Auth = z.infer<typeof auth>;

const changes = z.enum(["post", "put", "patch", "delete"]);

const idempotency = z.strictObject({
  /** Takes the provider key. */
  header: headerName,
  /** How long the service remembers a key and answers a repeat as the first. */
  retentionMs: z.int().min(1).max(31_536_000_000),
  /** Those in which the service looks at it. */
  operations: z.array(changes).min(1).default(["post"]),
});

const account = z
  .strictObject({
    connector: z.literal("http"),
    baseUrl: z
      .url({ protocol: /^https?$/ })
      .refine((text) => isPlain(text), "it may not hold a user, a query or a fragment"),
    headers,
    auth: auth.optional(),
    /** For the answer of one request. */
    timeoutMs: z.int().min(1).max(600_000).default(30_000),
    /** Loopback and local networks: a script must not reach what only this machine should. */
    allowPrivateAddresses: z.boolean().default(false),
    idempotency: idempotency.optional(),
    /** How to find out whether a change happened. */
    lookup: lookups,
    /** Statuses after which this service has certainly done nothing. */
    provesNotDone: z.array(z.int().min(300).max(599)).default([]),
  })
  .superRefine((given, context) => {
    const fault = faultOfNames(namesOf(given)) ?? faultOfKey(given);
    if (fault !== null) context.addIssue(fault);
  });

type Given = {
  readonly headers: Readonly<Record<string, string>>;
  readonly auth?: z.infer<typeof auth> | undefined;
  readonly idempotency?: z.infer<typeof idempotency> | undefined;
  readonly lookup: readonly z.infer<typeof lookup>[];
};

/** Every header that a request of this account may carry, once for each place that sets it. */
function namesOf({ headers: own, auth: given, idempotency: byKey, lookup: all }: Given): string[] {
  const signIn =
    given === undefined ? [] : [given.kind === "header" ? given.name : "authorization"];
  const keys = all.flatMap(({ sentAs }) => (sentAs && "header" in sentAs ? [sentAs.header] : []));
  const distinct = new Set(keys.map((each) => each.toLowerCase()));
  return [...Object.keys(own), ...signIn, ...(byKey ? [byKey.header] : []), ...distinct];
}

/** Nobody can find a change by a key that the service was never told. */
function faultOfKey({ idempotency: byKey, lookup: all }: Given): string | null {
  const lost = all.find(({ uses, sentAs, operation }) => {
    const isInHeader = byKey?.operations.some((each) => each === operation) ?? false;
    return uses.includes("key") && sentAs === undefined && !isInHeader;
  });
  if (lost === undefined) return null;
  return `the lookup of ${lost.of} asks for {key}; sentAs has to say how the service gets it`;
}

export type WrittenAccount = z.infer<typeof account>;

export type HttpAccount = WrittenAccount & {
  readonly signIn: SignIn;
  /** In small letters: headers that one of its requests or another carries. */
  readonly ownHeaders: ReadonlySet<string>;
};

export function readAccount(given: unknown, keeping: Keeping): HttpAccount {
  const written = account.parse(given);
  const ownHeaders = new Set(namesOf(written).map((name) => name.toLowerCase()));
  return { ...written, signIn: signInOf(written, keeping), ownHeaders };
}
