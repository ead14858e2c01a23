import { generateKeyPairSync, sign } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** One element of DER: what it is, how long, and its bytes. */
function element(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const bytes = Buffer.concat(parts);
  const { length } = bytes;
  const size = length < 128 ? [length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), bytes]);
}

const sequence = (...parts: readonly Uint8Array[]) => element(0x30, ...parts);
const text = (tag: number, said: string) => element(tag, Buffer.from(said));
const hex = (digits: string) => Buffer.from(digits, "hex");

const ed25519 = sequence(element(0x06, hex("2b6570")));
const name = sequence(element(0x31, sequence(element(0x06, hex("550403")), text(0x0c, "test"))));
const years = sequence(text(0x17, "200101000000Z"), text(0x17, "491231235959Z"));
const isForLoopback = sequence(
  element(0x06, hex("551d11")),
  element(0x04, sequence(element(0x87, Buffer.from([127, 0, 0, 1])))),
);

/** A certificate of 127.0.0.1 that nobody but the test trusts, and its key, as files. */
export function makeCertificate(folder: string) {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const signed = sequence(
    element(0xa0, element(0x02, Buffer.from([2]))),
    element(0x02, Buffer.from([1])),
    ed25519,
    name,
    years,
    name,
    publicKey.export({ type: "spki", format: "der" }),
    element(0xa3, sequence(isForLoopback)),
  );
  const signature = element(0x03, Buffer.from([0]), sign(null, signed, privateKey));
  const base64 = sequence(signed, ed25519, signature).toString("base64");
  const lines = base64.match(/.{1,64}/g)?.join("\n") ?? "";
  const pem = `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
  const [certFile, keyFile] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  writeFileSync(certFile, pem);
  writeFileSync(keyFile, privateKey.export({ type: "pkcs8", format: "pem" }));
  return { certFile, keyFile };
}
