/** What an executor in another process needs, as somebody who reads docs/machines.md writes it. */
import { createPublicKey, type KeyObject, sign } from "node:crypto";
import type { Connected } from "@holdfast/connector-kit";
import { type CanonicalValue, encodeCanonical, type Hash, hashText } from "@holdfast/core";
import { receiptLeaf, signedTree, unhex } from "@holdfast/core/machine";
import type { ReceiptRequest, TakeAnswer } from "@holdfast/protocol";

export type Work = NonNullable<TakeAnswer["work"]>;

export type Said =
  | { readonly status: "ok"; readonly result: CanonicalValue }
  | { readonly status: "error"; readonly class: "logic" | "transient"; readonly message: string };

/** One request to the service, with the account of this process and not the host's. */
export async function perform({ operations }: Connected, work: Work): Promise<CanonicalValue> {
  const { params, key, answerWithinMs: timeoutMs } = work;
  const admitted = operations[work.operation]?.admit(params);
  if (admitted === undefined) throw new Error(`there is no ${work.operation}`);
  const { signal } = new AbortController();
  return admitted.execute({ key, timeoutMs, signal, go: () => {} });
}

export function keyIdOf(secret: KeyObject): string {
  const der = createPublicKey(secret).export({ format: "der", type: "spki" });
  return hashText(new Uint8Array(der));
}

export function receiptFor(
  { operations }: Connected,
  work: Work,
  { said, secret }: { readonly said: Said; readonly secret: KeyObject },
): ReceiptRequest {
  const exact = operations[work.operation]?.exact;
  const payload =
    said.status === "ok"
      ? encodeCanonical(exact?.close(said.result) ?? said.result)
      : encodeCanonical({ code: said.class, message: said.message });
  const { handout, store, workflow, intent, executor } = work;
  const { module, entrypoint } = executor;
  const moduleHash = executor.moduleHash as Hash;
  const by = { module, moduleHash, entrypoint };
  const { status } = said;
  const leaf = receiptLeaf({ intentHash: unhex(intent), status, payload, costCents: null, ...by });
  const statement = signedTree([leaf])?.statement ?? new Uint8Array();
  const signature = sign(null, statement, secret).toString("base64");
  const heading = { handout, store, workflow, intent, moduleHash, keyId: keyIdOf(secret) };
  return { ...heading, signature, ...said } as ReceiptRequest;
}

export async function post<T>(
  place: { readonly url: string; readonly token: string },
  path: string,
  body: object,
): Promise<{ readonly status: number; readonly body: T }> {
  const answer = await fetch(`${place.url}/api/v1/executors/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${place.token}` },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as T };
}
