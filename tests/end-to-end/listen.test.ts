import { readFileSync, writeFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { request as requestSecurely } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { newFolder } from "./host-process.ts";
import { knock } from "./knock.ts";
import { makeCertificate } from "./own-certificate.ts";
import { OwnHost } from "./own-host.ts";

/** It has to end by itself, having opened nothing. */
async function refusal(environment: Record<string, string>): Promise<string> {
  const own = new OwnHost({ environment });
  return own.start().then(
    () => "it started",
    (error: Error) => error.message,
  );
}

describe("where the shipped program listens", () => {
  test.each([
    { what: "all addresses", address: "0.0.0.0" },
    { what: "all of IPv6", address: "::" },
    { what: "another machine's", address: "192.0.2.1" },
  ])("not on $what in the clear", async ({ address }) => {
    expect(await refusal({ HOLDFAST_LISTEN: address })).toMatch(
      /^ended with 3:\nLISTEN_REFUSED: .* can be reached from other machines.*\nSee docs\/errors/s,
    );
  });

  test("not on a name, nor on an address that looks like loopback", async () => {
    for (const name of ["example.com", "127.evil.example", "127.0.0.1.evil.example"]) {
      expect(await refusal({ HOLDFAST_LISTEN: name })).toMatch(/is not an address/);
    }
    expect(await refusal({ HOLDFAST_LISTEN: "128.127.0.1" })).toMatch(/from other machines/);
  });

  test("on all addresses if somebody says that nobody can read along", async () => {
    const own = new OwnHost({ words: ["--listen", "0.0.0.0", "--insecure-listen"] });
    const { host, url } = await own.start();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:/);
    expect((await knock(url, { path: "/health" })).status).toBe(200);
    await host.stop();
  });

  test("not on an address of another machine, whatever is said", async () => {
    const own = new OwnHost({ words: ["--listen", "192.0.2.1", "--insecure-listen"] });
    await expect(own.start()).rejects.toThrow(/192\.0\.2\.1 is not an address of this machine/);
  });

  test("to a name that it was told", async () => {
    const own = new OwnHost({
      environment: {
        HOLDFAST_NAMES: "Holdfast.example, other.example",
        HOLDFAST_PUBLIC_URL: "https://public.example/here",
      },
    });
    const { host, url } = await own.start();
    const names = ["holdfast.example", "OTHER.example:443", "public.example", "third.example"];
    const answers = names.map((name) => {
      return knock(url, { path: "/health", headers: { host: name } });
    });
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200, 421]);
    await host.stop();
  });
});

describe("TLS of the shipped program", () => {
  test("serves others, with a cookie that never goes in the clear", async () => {
    const { certFile, keyFile } = makeCertificate(newFolder());
    const tls = { HOLDFAST_TLS_CERT: certFile, HOLDFAST_TLS_KEY: keyFile };
    const own = new OwnHost({ environment: { ...tls, NODE_EXTRA_CA_CERTS: certFile } });
    const { host, url } = await own.start();
    expect(url).toMatch(/^https:/);
    const { out } = await own.holdfast("login-link");
    const [, code = ""] = /\/login#(\S+)/.exec(out) ?? [];
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const asked = requestSecurely(`${url}/login`, {
        ca: readFileSync(certFile),
        method: "POST",
        headers: { "holdfast-page": "test", origin: url },
      });
      asked.once("response", resolve).once("error", reject).end(JSON.stringify({ code }));
    });
    expect([answer.statusCode, await text(answer)]).toMatchObject([200, expect.anything()]);
    expect(answer.headers["set-cookie"]?.[0]).toMatch(
      /^__Host-holdfast-visit-\d+=.*; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    );
    expect(answer.headers["strict-transport-security"]).toBe("max-age=31536000");
    const plain = request(url.replace("https", "http")).end();
    await expect(
      new Promise((resolve, reject) => plain.once("response", resolve).once("error", reject)),
    ).rejects.toThrow();
    await host.stop();
  });

  test("that cannot be is said before anything is opened", async () => {
    const folder = newFolder();
    const { certFile, keyFile } = makeCertificate(folder);
    const other = makeCertificate(newFolder());
    const empty = join(folder, "empty.pem");
    writeFileSync(empty, "");
    const faults = [
      [{ HOLDFAST_TLS_CERT: certFile }, /Only one of HOLDFAST_TLS_CERT/],
      [{ HOLDFAST_TLS_CERT: certFile, HOLDFAST_TLS_KEY: other.keyFile }, /do not belong together/],
      [{ HOLDFAST_TLS_CERT: empty, HOLDFAST_TLS_KEY: keyFile }, /cannot be used/],
      [{ HOLDFAST_TLS_CERT: join(folder, "no"), HOLDFAST_TLS_KEY: keyFile }, /ENOENT/],
    ] as const;
    for (const [environment, says] of faults) {
      const said = await refusal({ HOLDFAST_LISTEN: "0.0.0.0", ...environment });
      expect(said).toMatch(/LISTEN_REFUSED/);
      expect(said).toMatch(says);
    }
  });
});
