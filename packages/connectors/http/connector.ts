import {
  defineConnector,
  type ForeseenGuarantee,
  type Operation,
  type OperationCall,
} from "@holdfast/connector-kit";
import type { CanonicalValue } from "@holdfast/core";
import { checkChangeResult, readAnswer } from "../wire/answer.ts";
import { exchangeOnce, exchangeRead } from "../wire/exchange.ts";
import { type HttpAccount, readAccount } from "./account.ts";
import { exactChange, exactRead } from "./exact.ts";
import { findChange } from "./find-change.ts";
import { findLookup } from "./lookup.ts";
import { type HttpParams, readChangeParams, readReadParams, urlOf } from "./params.ts";
import { hidersOf, signedIn } from "./sign-in.ts";
import { withKey } from "./with-key.ts";

type Change = "post" | "put" | "patch" | "delete";
type HttpOperation = Operation<HttpAccount, HttpParams>;

const path = { name: "path", at: "/path" };
const query = { name: "query", at: "/query" };
const body = { name: "content", at: "/body" };
const secretParams = ["secretHeaders"];

/** Any service that speaks HTTP and JSON. */
export const http = defineConnector<HttpAccount>({
  name: "http",
  version: "1",
  readAccount,
  operations: {
    get: read("read:byId"),
    list: read("read:list"),
    post: change("post"),
    put: change("put"),
    patch: change("patch"),
    delete: change("delete"),
  },
});

function placeOf({ baseUrl }: HttpAccount, params: HttpParams): string {
  return urlOf(baseUrl, params).href;
}

function read(kind: "read:byId" | "read:list"): HttpOperation {
  return {
    kind,
    capability: "http:read",
    risk: "low",
    scopes: [path, query],
    secretParams,
    exact: exactRead,
    readParams: readReadParams,
    identity: identityOf,
    target: placeOf,
    describe: (_, __, target) => `GET ${target}`,
    execute: async (call) => {
      const { account, params } = call;
      const url = urlOf(account.baseUrl, params);
      const given = { url, method: "GET", body: params.body, headers: {} };
      const answer = await signedIn(call, (own) => exchangeRead(requestOf(call, given, own)));
      return readAnswer(kind, answer, rulesOf(account));
    },
  };
}

function change(name: Change): HttpOperation {
  const method = name.toUpperCase();
  return {
    kind: "mutation",
    capability: name === "delete" ? "http:delete" : "http:write",
    risk: name === "delete" ? "high" : "medium",
    scopes: [path, query, body],
    secretParams,
    exact: exactChange,
    readParams: readChangeParams,
    identity: identityOf,
    target: placeOf,
    describe: (_, params, target) => `${method} ${target}${conditionOf(params)}`,
    guarantee: (account, params) => {
      const lookup = findLookup(account.lookup, name, params);
      const isAskable =
        lookup !== null && (params.ref !== undefined || !lookup.uses.includes("ref"));
      return {
        canReconcile: isAskable,
        idempotency: keyOf(account, name),
        visibilityDelayMs: isAskable ? (lookup.visibilityDelayMs ?? null) : null,
      };
    },
    keyedBy: (account, params) => keyedBy(account, name, params),
    guarantees: (account) => foreseen(account, name),
    execute: (call) => executeChange(name, call),
    checkResult: checkChangeResult,
    reconcile: (call) => findChange(name, call),
  };
}

function keyOf({ idempotency: key }: HttpAccount, name: Change) {
  return key?.operations.includes(name) ? { retentionMs: key.retentionMs } : null;
}

/** Where the key goes, and how it is looked for there. */
function keyedBy(account: HttpAccount, name: Change, params: HttpParams): CanonicalValue {
  const lookup = findLookup(account.lookup, name, params);
  const isKeyed = keyOf(account, name) !== null;
  return {
    header: isKeyed ? (account.idempotency?.header.toLowerCase() ?? null) : null,
    // What is left out of a lookup has no bytes.
    lookup: JSON.parse(JSON.stringify(lookup)) as CanonicalValue,
  };
}

/** A lookup is for some calls of an operation; without one the key is all there is. */
function foreseen(account: HttpAccount, name: Change): readonly ForeseenGuarantee[] {
  const idempotency = keyOf(account, name);
  const askable = account.lookup
    .filter(({ operation }) => operation === name)
    .map(({ of, uses, visibilityDelayMs = null }) => ({
      of: uses.includes("ref") ? `${of} with a ref` : of,
      guarantee: { canReconcile: true, idempotency, visibilityDelayMs },
    }));
  const others = { canReconcile: false, idempotency, visibilityDelayMs: null };
  return [...askable, { of: null, guarantee: others }];
}

function identityOf({ path, ref }: HttpParams): CanonicalValue {
  return { path, ref: ref ?? null };
}

function conditionOf({ ifMatch, ifAbsent }: HttpParams): string {
  if (ifMatch !== undefined) return `, if it is still ${ifMatch}`;
  return ifAbsent === undefined ? "" : ", if it is not there";
}

async function executeChange(
  name: Change,
  call: OperationCall<HttpAccount, HttpParams>,
): Promise<CanonicalValue> {
  const { account, params, key } = call;
  const { idempotency } = account;
  if (key === null) throw new Error("a change is sent with its key");
  const lookup = findLookup(account.lookup, name, params);
  const keyed = withKey({ url: urlOf(account.baseUrl, params), params, lookup }, key);
  const headers: Record<string, string> = { ...keyed.headers };
  if (idempotency?.operations.includes(name)) headers[idempotency.header] = key;
  if (params.ifMatch !== undefined) headers["if-match"] = params.ifMatch;
  if (params.ifAbsent !== undefined) headers["if-none-match"] = "*";
  const given = { ...keyed, method: name.toUpperCase(), headers };
  const answer = await signedIn(call, (own) => exchangeOnce(requestOf(call, given, own)));
  return readAnswer("mutation", answer, rulesOf(account));
}

type Sent = {
  readonly url: URL;
  readonly method: string;
  readonly body: HttpParams["body"];
  readonly headers: Readonly<Record<string, string>>;
};

function requestOf(
  { account, params, timeoutMs, signal, go }: OperationCall<HttpAccount, HttpParams>,
  { url, method, body: given, headers: more }: Sent,
  signIn: Readonly<Record<string, string>>,
) {
  const { allowPrivateAddresses } = account;
  const body = given === undefined ? null : JSON.stringify(given);
  const typed = body === null ? {} : { "content-type": "application/json" };
  const length = { "content-length": String(Buffer.byteLength(body ?? "")) };
  // How the account signs in is not a script's to change.
  const own = { ...params.secretHeaders, ...account.headers, ...signIn, ...more };
  // Node sends a body of a GET without a length, and the service would take it for a request.
  const isBare = method === "GET" && body === null;
  const headers = { ...own, ...typed, ...(isBare ? {} : length) };
  return { url, method, headers, body, timeoutMs, allowPrivateAddresses, signal, go };
}

function rulesOf(account: HttpAccount) {
  return { provesNotDone: account.provesNotDone, ...hidersOf(account) };
}
