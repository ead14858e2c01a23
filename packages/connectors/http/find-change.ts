import type { ReconcileCall, Reconciled } from "@holdfast/connector-kit";
import type { CanonicalValue } from "@holdfast/core";
import { isDone, jsonOf, whyNobodyWasAsked } from "../wire/answer.ts";
import { exchangeRead } from "../wire/exchange.ts";
import type { HttpAnswer } from "../wire/request.ts";
import type { HttpAccount } from "./account.ts";
import { type Filling, fill, findLookup, type Lookup } from "./lookup.ts";
import { type HttpParams, isStray, urlOf } from "./params.ts";
import { pointTo } from "./pointer.ts";
import { hidersOf, signedIn } from "./sign-in.ts";

/**
 * Asks the service for the change. Every answer that was not expected says nothing. Throws where
 * nobody was asked.
 */
export async function findChange(
  operation: string,
  { account, params, key, timeoutMs, signal }: ReconcileCall<HttpAccount, HttpParams>,
): Promise<Reconciled> {
  const lookup = findLookup(account.lookup, operation, params);
  if (lookup === null) return retry("the account does not say how to find it");
  if (lookup.uses.includes("ref") && params.ref === undefined) {
    return retry("the account looks for changes by their ref, and this one has none");
  }
  const filling = { key, ref: params.ref ?? "", path: params.path };
  const path = fill(lookup.path, filling, encodeURIComponent);
  if (isStray(path)) return retry("its ref cannot stand in the path of a lookup");
  const query = Object.entries(lookup.query).map(([name, text]) => [name, fill(text, filling)]);
  const answer = await signedIn({ account, signal }, (signIn) =>
    exchangeRead({
      url: urlOf(account.baseUrl, { path, query: Object.fromEntries(query) }),
      method: "GET",
      headers: { ...account.headers, ...signIn },
      body: null,
      timeoutMs,
      allowPrivateAddresses: account.allowPrivateAddresses,
      signal,
      go: () => {},
    }),
  );
  return judge(answer, { lookup, filling, account });
}

type Asked = {
  readonly lookup: Lookup;
  readonly filling: Filling;
  readonly account: HttpAccount;
};

function judge(answer: HttpAnswer, asked: Asked): Reconciled {
  const { lookup, account } = asked;
  const nobody = whyNobodyWasAsked(answer, hidersOf(account));
  if (nobody !== null) throw nobody;
  if (answer.status === 404 && isByPath(lookup)) return notFound("the service answered 404");
  if (!isDone(answer)) return retry(`the service answered ${answer.status}`);
  const json = jsonOf(answer, hidersOf(account).hideInResult);
  if (json === null) return retry("the answer is no JSON");
  const finding = findIn(json.value, asked);
  const isExcused = finding.says === "not_found" && namesAnError(json.value);
  return isExcused ? retry("the answer does not hold it, and names an error") : finding;
}

function findIn(answer: CanonicalValue, asked: Asked): Reconciled {
  const { found } = asked.lookup;
  const place = pointTo(answer, found);
  if (place.at === "astray") return retry(`the answer has nothing at "${found}"`);
  if (place.at === "absent" || place.value === null) return notFound("the answer does not hold it");
  return Array.isArray(place.value)
    ? amongThese(place.value as readonly CanonicalValue[], asked)
    : itself(place.value, asked);
}

/** Such as `{"data":null,"errors":[…]}`: nobody has looked. */
function namesAnError(answer: CanonicalValue): boolean {
  return ["/error", "/errors"].some((pointer) => {
    const place = pointTo(answer, pointer);
    if (place.at !== "value" || !place.value) return false;
    return !Array.isArray(place.value) || place.value.length > 0;
  });
}

/** Elsewhere a 404 may as well mean that the account has the wrong path. */
function isByPath({ path }: Lookup): boolean {
  return path.includes("{key}") || path.includes("{ref}");
}

/** Only an empty list says that it is not there: another may go on, or not be filtered. */
function amongThese(items: readonly CanonicalValue[], asked: Asked): Reconciled {
  if (items.length === 0) return notFound("the list is empty");
  const isMatched = Object.keys(asked.lookup.match).length > 0;
  const fitting = items.filter((item) => fits(item, asked));
  const [first] = fitting;
  if (first === undefined) return retry(`${items.length} were found, and none fits`);
  if (!isMatched && items.length > 1) return retry(`${items.length} were found; match is missing`);
  return itself(first, asked);
}

function fits(item: CanonicalValue, { lookup, filling }: Asked): boolean {
  return Object.entries(lookup.match).every(([pointer, text]) => {
    const place = pointTo(item, pointer);
    return place.at === "value" && String(place.value) === fill(text, filling);
  });
}

function itself(item: CanonicalValue, asked: Asked): Reconciled {
  if (!fits(item, asked)) return retry("what was found is another");
  const { status, body: parts, match } = asked.lookup;
  const isKnown = parts !== undefined || Object.keys(match).length > 0;
  if (!isKnown && !saysSomething(item)) return retry("what was found is no item");
  if (parts === undefined) return { says: "applied", result: { status, body: item } };
  const body: Record<string, CanonicalValue> = {};
  for (const [name, pointer] of Object.entries(parts)) {
    const place = pointTo(item, pointer);
    if (place.at !== "value") return retry(`what was found has nothing at "${pointer}"`);
    body[name] = place.value;
  }
  return { says: "applied", result: { status, body } };
}

/** Where nothing else tells an item from what stands there when there is none, or in a fault. */
function saysSomething(item: CanonicalValue): boolean {
  if (typeof item !== "object" || item === null) return Boolean(item);
  return Object.keys(item).length > 0 && !namesAnError(item);
}

function notFound(note: string): Reconciled {
  return { says: "not_found", note };
}

function retry(note: string): Reconciled {
  return { says: "retry", note };
}
