import { createHash, createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { admitDelivery, type DeliveryGuard } from "./admit-delivery.ts";

const body = new TextEncoder().encode('{"order":"a"}');
const sign = (bytes: Uint8Array, secret = "s3cr3t") =>
  createHmac("sha256", secret).update(bytes).digest("hex");

function push(
  guard: DeliveryGuard,
  headers: Readonly<Record<string, string>>,
  more: { readonly body?: Uint8Array; readonly bytesMax?: number } = {},
) {
  const { bytesMax = 100, body: bytes = body } = more;
  return admitDelivery({ headers: new Headers(headers), body: bytes }, { guard, bytesMax });
}

const open = { kind: "open" } as const;
const secret = { kind: "secret", secret: "s3cr3t" } as const;
const signed = { kind: "sha256", secret: "s3cr3t" } as const;

describe("[R4] who pushes to a webhook", () => {
  const rows: readonly (readonly [string, DeliveryGuard, Record<string, string>, boolean])[] = [
    ["anybody, where that is said", open, {}, true],
    ["one who shows the secret", secret, { "x-webhook-secret": "s3cr3t" }, true],
    ["one who shows none", secret, {}, false],
    ["one who shows another", secret, { "x-webhook-secret": "s3cr3" }, false],
    ["one who shows more", secret, { "x-webhook-secret": "s3cr3tt" }, false],
    ["one who shows nothing for an empty secret", { kind: "secret", secret: "" }, {}, false],
    [
      "one who shows an empty secret",
      { kind: "secret", secret: "" },
      { "x-webhook-secret": "" },
      false,
    ],
    ["one who signs", signed, { "x-hub-signature-256": `sha256=${sign(body)}` }, true],
    ["one who signs without saying how", signed, { "x-hub-signature-256": sign(body) }, true],
    ["one who does not sign", signed, {}, false],
    ["one who shows the secret instead", signed, { "x-webhook-secret": "s3cr3t" }, false],
    [
      "one who signs with another secret",
      signed,
      { "x-hub-signature-256": `sha256=${sign(body, "other")}` },
      false,
    ],
    [
      "one who signs another body",
      signed,
      { "x-hub-signature-256": `sha256=${sign(new Uint8Array(1))}` },
      false,
    ],
  ];
  test.each(rows)("%s", (_, guard, headers, isAdmitted) => {
    const admitted = push(guard, headers);
    expect(admitted.ok).toBe(isAdmitted);
    if (!admitted.ok) expect(admitted.status).toBe(401);
  });
});

test("a body over the limit is refused before anything else is looked at", () => {
  expect(push(secret, {}, { bytesMax: body.length - 1 })).toMatchObject({ ok: false, status: 413 });
  expect(push(open, {}, { bytesMax: body.length })).toMatchObject({ ok: true });
});

describe("[R19] a delivery is known by", () => {
  test("the first header that names it", () => {
    const headers = { "x-request-id": "r-1", "idempotency-key": "k-1" };
    expect(push(open, headers)).toEqual({ ok: true, deliveryId: "k-1" });
    const own = { guard: open, bytesMax: 100, idHeader: "x-order" };
    const request = { headers: new Headers({ ...headers, "X-Order": "o-1" }), body };
    expect(admitDelivery(request, own)).toEqual({ ok: true, deliveryId: "o-1" });
  });

  test("its body, where no header does", () => {
    const hash = createHash("sha256").update(body).digest("hex");
    const named = { ok: true, deliveryId: `sha256:${hash}` };
    expect(push(open, {})).toEqual(named);
    expect(push(open, { "idempotency-key": "" })).toEqual(named);
    expect(push(open, {}, { body: new Uint8Array(1) })).not.toEqual(named);
  });

  test("nothing that cannot be an id", () => {
    const long = push(open, { "idempotency-key": "x".repeat(201) });
    expect(long).toMatchObject({ ok: false, status: 400 });
    const headers = { get: (name: string) => (name === "idempotency-key" ? "a\u0007" : null) };
    const bell = admitDelivery({ headers, body }, { guard: open, bytesMax: 100 });
    expect(bell).toMatchObject({ ok: false, status: 400 });
  });
});
