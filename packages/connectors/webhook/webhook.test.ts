import { createHmac } from "node:crypto";
import { labelOf } from "@holdfast/connector-kit";
import { expect, test } from "vitest";
import { failure } from "../testing/failure.ts";
import { serveAnswers } from "../testing/serve.ts";
import { webhook } from "./connector.ts";

const secret = "a secret of sixteen and more";
const { signal } = new AbortController();
const sending = { key: "k-1", timeoutMs: 5_000, signal, go: () => {} };

function admit(url: string, params: unknown = { event: "order.booked", data: { number: 7 } }) {
  const account = { connector: "webhook", url, secret, allowPrivateAddresses: true };
  const admitted = webhook.connect("hook", account).operations["send"]?.admit(params);
  if (admitted === undefined) throw new Error("no send");
  return admitted;
}

test("[R131] a push is one signed request with the key as its id", async () => {
  const { url, seen } = await serveAnswers(() => ({ status: 202 }));
  const result = await admit(`${url}/in/t0ken?a=b`).execute(sending);
  expect(result).toEqual({ status: 202, body: null });
  const [{ line, body, headers } = { line: "", body: "", headers: {} }] = seen;
  expect(line).toBe("POST /in/t0ken?a=b");
  expect(JSON.parse(body)).toEqual({ id: "k-1", event: "order.booked", data: { number: 7 } });
  const [, at, sum] =
    /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers["x-holdfast-signature"])) ?? [];
  expect(sum).toBe(createHmac("sha256", secret).update(`${at}.${body}`).digest("hex"));
});

test("[R65] nothing can be relied on when an answer was lost, and nobody can be asked", () => {
  const { guarantee, reconcile } = admit("http://127.0.0.1:1/");
  expect(labelOf(guarantee)).toBe("at most once, asks you");
  expect(() => reconcile({ key: "k-1", timeoutMs: 1, signal })).toThrow();
});

test("[R129] neither the secret nor the address is told to anybody", async () => {
  const { url } = await serveAnswers(({ line }) => ({ status: 400, body: { line, secret } }));
  const admitted = admit(`${url}/in/t0ken`);
  const error: unknown = await admitted.execute(sending).catch((reason: unknown) => reason);
  const cut: unknown = await admit("http://127.0.0.1:1/in/t0ken")
    .execute(sending)
    .catch((reason: unknown) => reason);
  const { target, description } = admitted;
  const texts = JSON.stringify([String(error), String(cut), target, description]);
  expect(texts).not.toMatch(/t0ken|a secret/);
  expect(target).not.toBe(admit(`${url}/in/other`).target);
});

test("[R114] what a service answers says what is known, as for any change", async () => {
  for (const [status, says] of [
    [404, "logic, committed no"],
    [429, "transient, committed no"],
    [500, "transient, committed unknown"],
  ] as const) {
    const { url } = await serveAnswers(() => ({ status }));
    expect(await failure(admit(url).execute(sending))).toBe(says);
  }
});

test.each([{ event: "" }, { event: "e" }, { event: "e", data: 1, id: "mine" }])(
  "the parameters %j are refused before anything is sent",
  (params) => {
    expect(() => admit("http://127.0.0.1:1/", params)).toThrow();
  },
);
