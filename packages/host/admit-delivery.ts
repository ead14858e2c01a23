import { createHash, createHmac, timingSafeEqual } from "node:crypto";

/** Who may push. `open` has to be said: nothing is open because somebody forgot a secret. */
export type DeliveryGuard =
  | { readonly kind: "open" }
  | { readonly kind: "secret"; readonly secret: string }
  | { readonly kind: "sha256"; readonly secret: string };

export type PushedRequest = {
  readonly headers: { get(name: string): string | null };
  /** Exactly the bytes that came: a signature is over these and no others. */
  readonly body: Uint8Array;
};

export type DeliveryOptions = {
  readonly guard: DeliveryGuard;
  readonly bytesMax: number;
  readonly secretHeader?: string | undefined;
  readonly signatureHeader?: string | undefined;
  /** Names the delivery, and has to be there; absent = whichever the sender has, or its body. */
  readonly idHeader?: string | undefined;
};

export type AdmittedDelivery =
  | { readonly ok: true; readonly deliveryId: string }
  /** With the HTTP status that says the same. */
  | { readonly ok: false; readonly status: 400 | 401 | 413; readonly note: string };

const secretHeaderDefault = "x-webhook-secret";
const signatureHeaderDefault = "x-hub-signature-256";
const idHeadersDefault = ["idempotency-key", "webhook-id", "x-github-delivery"];

const deliveryIdCharsMax = 200;
const controlCharacter = /\p{Cc}/u;

/**
 * The door of a webhook: how large, from whom, and which delivery it is. A sender that names none
 * is taken by its word: the same body is the same delivery.
 */
export function admitDelivery(request: PushedRequest, options: DeliveryOptions): AdmittedDelivery {
  const { headers, body } = request;
  if (body.length > options.bytesMax) {
    return refused(413, `The body has ${body.length} bytes; the limit is ${options.bytesMax}.`);
  }
  const stranger = whyNotFromSender(request, options);
  if (stranger !== null) return refused(401, stranger);
  const { idHeader } = options;
  // Known by their bodies, `up`, `down`, `up` would be two: whoever wants three says by what.
  if (idHeader !== undefined && !headers.get(idHeader)) {
    return refused(400, `The header ${idHeader} is missing: it is the id of a delivery.`);
  }
  // A header is not signed: whoever caught a push could send it again under another name.
  const named = options.guard.kind === "sha256" ? [] : idHeadersDefault;
  for (const name of idHeader === undefined ? named : [idHeader]) {
    const given = headers.get(name);
    if (given === null || given === "") continue;
    const isName = given.length <= deliveryIdCharsMax && !controlCharacter.test(given);
    if (!isName) return refused(400, `The header ${name} cannot be the id of a delivery.`);
    return { ok: true, deliveryId: given };
  }
  return { ok: true, deliveryId: `sha256:${createHash("sha256").update(body).digest("hex")}` };
}

function whyNotFromSender(
  { headers, body }: PushedRequest,
  { guard, ...options }: DeliveryOptions,
): string | null {
  switch (guard.kind) {
    case "open":
      return null;
    case "secret": {
      const name = options.secretHeader ?? secretHeaderDefault;
      const given = headers.get(name);
      if (given === null) return `The header ${name} is missing.`;
      return isSame(given, guard.secret) ? null : `The header ${name} is not the secret.`;
    }
    case "sha256": {
      const name = options.signatureHeader ?? signatureHeaderDefault;
      const given = headers.get(name);
      if (given === null) return `The header ${name} is missing.`;
      const right = createHmac("sha256", guard.secret).update(body).digest("hex");
      const signature = given.toLowerCase().replace(/^sha256=/, "");
      return isSame(signature, right) ? null : `The header ${name} does not sign this body.`;
    }
  }
}

/** Takes as long whatever is given; an empty secret is nobody's. */
function isSame(given: string, right: string): boolean {
  const [a, b] = [given, right].map((text) => createHash("sha256").update(text).digest());
  return right !== "" && a !== undefined && b !== undefined && timingSafeEqual(a, b);
}

function refused(status: 400 | 401 | 413, note: string): AdmittedDelivery {
  return { ok: false, status, note };
}
