import { defineConnector, type OperationCall } from "@holdfast/connector-kit";
import type { CanonicalValue } from "@holdfast/core";
import { checkChangeResult, readAnswer } from "../wire/answer.ts";
import { exchangeOnce } from "../wire/exchange.ts";
import { hidersOf, placeOf, readAccount, signatureHeader, type WebhookAccount } from "./account.ts";
import { readParams, type WebhookParams } from "./params.ts";
import { signatureOf } from "./signature.ts";

/**
 * Pushes to a service that only listens. Nobody can be asked whether a push came through, and it
 * is not known whether a second would be told from the first: what is unknown is a question.
 */
export const webhook = defineConnector<WebhookAccount>({
  name: "webhook",
  version: "1",
  readAccount,
  operations: {
    send: {
      kind: "mutation",
      capability: "webhook:push",
      risk: "medium",
      // To whom it goes is the account's.
      scopes: [
        { name: "receiver", at: null },
        { name: "event", at: "/event" },
        { name: "content", at: "/data" },
      ],
      readParams,
      identity: ({ event, ref }: WebhookParams) => ({ event, ref: ref ?? null }),
      target: placeOf,
      describe: ({ url }, { event }: WebhookParams) => `push ${event} to ${new URL(url).origin}`,
      execute: push,
      checkResult: checkChangeResult,
    },
  },
});

async function push({
  account,
  params,
  key,
  timeoutMs,
  signal,
  go,
}: OperationCall<WebhookAccount, WebhookParams>): Promise<CanonicalValue> {
  const { event, data } = params;
  const { secret, allowPrivateAddresses } = account;
  const body = JSON.stringify({ id: key, event, data });
  const headers = {
    ...account.headers,
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    [signatureHeader]: signatureOf(body, { secret, atMs: Date.now() }),
  };
  const url = new URL(account.url);
  const how = { timeoutMs, allowPrivateAddresses, signal, go };
  const sent = { url, method: "POST", headers, body, ...how };
  const rules = { provesNotDone: [], ...hidersOf(account) };
  return readAnswer("mutation", await exchangeOnce(sent), rules);
}
