import { createHmac } from "node:crypto";

/**
 * `t=<seconds>,v1=<hex>`: HMAC-SHA-256 of "<seconds>.<body>". The time is signed too, so that
 * whoever receives it can refuse what is old.
 */
export function signatureOf(
  body: string,
  { secret, atMs }: { readonly secret: string; readonly atMs: number },
): string {
  const seconds = Math.floor(atMs / 1_000);
  const hex = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex");
  return `t=${seconds},v1=${hex}`;
}
