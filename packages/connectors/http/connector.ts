import {
  ConnectorError,
  defineConnector,
  type Operation,
  type OperationCall,
} from "@holdfast/connector-kit";
import type { CanonicalValue } from "@holdfast/core";
import { type HttpAccount, readAccount } from "./account.ts";
import { readAnswer } from "./answer.ts";
import { type HttpParams, readParams, urlOf } from "./params.ts";
import { NotAllowed, NotReached, request } from "./request.ts";

type HttpOperation = Operation<HttpAccount, HttpParams>;

/** Any service that speaks HTTP and JSON. */
export const http = defineConnector<HttpAccount>({
  name: "http",
  version: "1",
  readAccount,
  operations: {
    get: operation("GET", "read:byId"),
    list: operation("GET", "read:list"),
    post: operation("POST", "mutation"),
    put: operation("PUT", "mutation"),
    patch: operation("PATCH", "mutation"),
    delete: operation("DELETE", "mutation"),
  },
});

function operation(method: string, kind: HttpOperation["kind"]): HttpOperation {
  const placeOf = ({ baseUrl }: HttpAccount, params: HttpParams) => urlOf(baseUrl, params).href;
  return {
    kind,
    readParams,
    identity: ({ path, ref }) => ({ path, ref: ref ?? null }),
    target: placeOf,
    describe: (account, params) => `${method} ${placeOf(account, params)}`,
    execute: (call) => execute(method, kind, call),
  };
}

async function execute(
  method: string,
  kind: HttpOperation["kind"],
  { account, params, timeoutMs, go }: OperationCall<HttpAccount, HttpParams>,
): Promise<CanonicalValue> {
  const { allowPrivateAddresses } = account;
  const url = urlOf(account.baseUrl, params);
  const body = params.body === undefined ? null : JSON.stringify(params.body);
  const typed = body === null ? {} : { "content-type": "application/json" };
  const length = { "content-length": String(Buffer.byteLength(body ?? "")) };
  const headers = { ...account.headers, ...typed, ...(method === "GET" ? {} : length) };
  try {
    const sent = { url, method, headers, body, timeoutMs, allowPrivateAddresses, go };
    return readAnswer(kind, await request(sent));
  } catch (error) {
    if (error instanceof NotReached) {
      throw new ConnectorError("transient", "no", error.message, { cause: error });
    }
    if (error instanceof NotAllowed) {
      throw new ConnectorError("precondition", "no", error.message, { cause: error });
    }
    if (kind === "mutation" || error instanceof ConnectorError) throw error;
    // A read changes nothing, so what is not known of it is worth another try.
    const text = error instanceof Error ? error.message : String(error);
    throw new ConnectorError("transient", "no", text, { cause: error });
  }
}
