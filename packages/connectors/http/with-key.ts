import { ConnectorError } from "@holdfast/connector-kit";
import type { Lookup } from "./lookup.ts";
import type { HttpParams } from "./params.ts";

/** Fills the key in where the account says that the service looks for it. */
export function withKey(
  { url, params, lookup }: { url: URL; params: HttpParams; lookup: Lookup | null },
  key: string,
): { url: URL; body: HttpParams["body"]; headers: Readonly<Record<string, string>> } {
  const { body } = params;
  const { sentAs } = lookup ?? {};
  if (sentAs === undefined) return { url, body, headers: {} };
  if ("header" in sentAs) return { url, body, headers: { [sentAs.header]: key } };
  if ("query" in sentAs) {
    if (url.searchParams.has(sentAs.query)) throw taken(`query.${sentAs.query}`);
    const keyed = new URL(url);
    keyed.searchParams.set(sentAs.query, key);
    return { url: keyed, body, headers: {} };
  }
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    const text = `body: it has to be an object, for the account puts ${sentAs.field} into it`;
    throw new ConnectorError("logic", "no", text);
  }
  if (Object.hasOwn(body, sentAs.field)) throw taken(`body.${sentAs.field}`);
  return { url, body: { ...body, [sentAs.field]: key }, headers: {} };
}

function taken(place: string): ConnectorError {
  return new ConnectorError("logic", "no", `${place}: the host sets it; leave it out`);
}
