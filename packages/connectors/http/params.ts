import { ConnectorError } from "@holdfast/connector-kit";
import { z } from "zod";
import { faultOfNames, headerName, headerValue } from "../wire/header.ts";

/** What would not stay where it is written: queries, fragments, steps upwards, hidden slashes. */
const stray = /[?#\\\p{Cc}]|%2f|%5c|%2e|(?:^|\/)\.{1,2}(?:\/|$)/iu;

/**
 * What services read as another path than grants do: letters, digits and the like in percent form,
 * empty parts, and a step upwards with something behind it.
 */
const unlike = /%(?:2d|3\d|4[1-9a-f]|5[\daf]|6[1-9a-f]|7[\dae])|\/\/|\/\.{1,2};/i;

export function isStray(path: string): boolean {
  return stray.test(path);
}

const read = z.strictObject({
  path: z
    .string()
    .startsWith("/")
    .max(2_000)
    .refine((path) => !isStray(path), "it has a query, a fragment, dots or hidden slashes")
    .refine((path) => !unlike.test(path), "it has empty parts, or letters in percent form"),
  query: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  body: z.json().optional(),
  /** A business reference that makes it this change and no other. */
  ref: z.string().min(1).max(200).optional(),
  /** Headers whose values are secrets: names of those, and their values when it is sent. */
  secretHeaders: z
    .record(headerName, headerValue)
    .refine((given) => faultOfNames(Object.keys(given)) === null, "a header is not to be set so")
    .optional(),
});

/** Of the outside as it was seen: changed since then, nothing is done. */
const change = read
  .extend({
    ifMatch: headerValue.max(200).optional(),
    ifAbsent: z.literal(true).optional(),
  })
  .refine((given) => given.ifMatch === undefined || given.ifAbsent === undefined, {
    path: ["ifAbsent"],
    message: "it cannot be there and not be there",
  });

export type HttpParams = z.infer<typeof change>;

type Own = { readonly ownHeaders: ReadonlySet<string> };

export const readReadParams = (given: unknown, own: Own) => admit(read, given, own);
export const readChangeParams = (given: unknown, own: Own) => admit(change, given, own);

/** They say who asks, and that is the account. */
const identifying = new Set(["authorization", "cookie", "proxy-authorization"]);

/** Also where this call would not carry it: what the account's headers say is not a script's. */
function refuseOwnHeaders({ secretHeaders = {} }: HttpParams, { ownHeaders }: Own): void {
  const taken = Object.keys(secretHeaders).find((name) => {
    const small = name.toLowerCase();
    return identifying.has(small) || ownHeaders.has(small);
  });
  if (taken === undefined) return;
  const text = `secretHeaders.${taken}: it is the account's to set; leave it out`;
  throw new ConnectorError("logic", "no", text);
}

function admit(schema: typeof read | typeof change, given: unknown, own: Own): HttpParams {
  const admitted = schema.safeParse(given);
  if (admitted.success) {
    refuseOwnHeaders(admitted.data, own);
    // What was given and recorded, not a copy that may have lost something.
    return given as HttpParams;
  }
  const [issue] = admitted.error.issues;
  const path = issue?.path.join(".") || "the parameters";
  throw new ConnectorError("logic", "no", `${path}: ${issue?.message ?? "not valid"}`);
}

/** Below the account's base, and nowhere else. */
export function urlOf(
  baseUrl: string,
  { path, query = {} }: Pick<HttpParams, "path" | "query">,
): URL {
  const base = new URL(baseUrl);
  const url = new URL(base.origin);
  const under = base.pathname.replace(/\/$/, "");
  url.pathname = `${under}${path}`;
  if (!url.pathname.startsWith(`${under}/`)) {
    throw new ConnectorError("logic", "no", `${path} leads out of ${base.origin}${base.pathname}`);
  }
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
  return url;
}
