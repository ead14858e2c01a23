import { ConnectorError } from "@holdfast/connector-kit";
import { z } from "zod";

const params = z.strictObject({
  path: z.string().startsWith("/").max(2_000),
  query: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  body: z.json().optional(),
  /** A business reference that makes it this change and no other. */
  ref: z.string().min(1).max(200).optional(),
});

export type HttpParams = z.infer<typeof params>;

export function readParams(given: unknown): HttpParams {
  const read = params.safeParse(given);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const path = issue?.path.join(".") || "the parameters";
  throw new ConnectorError("logic", "no", `${path}: ${issue?.message ?? "not valid"}`);
}

/** Below the account's base, and nowhere else: `..` and a second host stay what they are, text. */
export function urlOf(baseUrl: string, { path, query = {} }: HttpParams): URL {
  const base = new URL(baseUrl);
  const url = new URL(base.origin);
  url.pathname = `${base.pathname.replace(/\/$/, "")}${path.split(/[?#]/)[0]}`;
  if (!url.pathname.startsWith(base.pathname.replace(/\/$/, ""))) {
    throw new ConnectorError("logic", "no", `${path} leads out of ${baseUrl}`);
  }
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
  return url;
}
