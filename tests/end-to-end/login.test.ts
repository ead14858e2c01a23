import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { bearer, knock } from "./knock.ts";
import { deployIdle, login, OwnHost, page, postCode } from "./own-host.ts";

const me = "/api/v1/me";
const pause = { method: "POST", path: "/api/v1/workflows/idle/commands" } as const;
const body = JSON.stringify({ kind: "pause_workflow" });

async function open() {
  const own = new OwnHost();
  const { host, url } = await own.start();
  const admin = readFileSync(join(own.folder, "token"), "utf8").trim();
  return { own, host, url, admin };
}

describe("logging in with a browser", () => {
  test("a link works once, and gives a cookie that no script and no other page gets", async () => {
    const { own, host, url } = await open();
    const { out } = await own.holdfast("login-link");
    const [, link = "", code = ""] = /^(http:\S+\/login)#(\S+)\n/.exec(out) ?? [];
    expect(link).toBe(`${url}/login`);
    const shown = await knock(url, { path: "/login" });
    expect(shown.text).toContain('<script src="/login.js" defer>');
    expect((await knock(url, { path: "/login.js" })).text).toContain('post("/login", { code })');
    expect(await knock(url, { path: "/login.css" })).toMatchObject({ status: 200 });
    const first = await postCode(url, code);
    expect(first.status).toBe(200);
    const [cookie = ""] = first.headers["set-cookie"] ?? [];
    expect(cookie).toMatch(
      /^holdfast-visit-\d+=[\w-]{43}; Max-Age=43\d{3}; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    expect(await postCode(url, code)).toMatchObject({ status: 401, code: "LOGIN_REFUSED" });
    await host.stop();
  });

  test("a visit outlives a restart, and ends for good with logging out", async () => {
    const { own, host, admin } = await open();
    const { cookie } = await login(await host.url, admin);
    host.kill("SIGKILL");
    await host.ended;
    const { port } = new URL(await host.url);
    const environment = { HOLDFAST_PORT: port, HOLDFAST_DATA: own.folder };
    const again = await new OwnHost({ environment }).start();
    const headers = { ...page(again.url), cookie };
    const asked = await knock(again.url, { path: me, headers });
    expect(JSON.parse(asked.text)).toMatchObject({ role: "admin", by: "visit" });
    const out = await knock(again.url, { method: "POST", path: "/logout", headers });
    expect(out.headers["set-cookie"]?.[0]).toMatch(/^holdfast-visit-\d+=; Max-Age=0; Path=\//);
    expect(await knock(again.url, { path: me, headers })).toMatchObject({
      status: 401,
      code: "VISIT_OVER",
    });
    await again.host.stop();
  });

  test("a forged or changed cookie is nobody's, and revoking ends a visit at once", async () => {
    const { own, host, url } = await open();
    const { cookie } = await login(url, await own.makeToken("anna", "operator"));
    const [name = "", value = ""] = cookie.split("=");
    const flipped = `${value.startsWith("A") ? "B" : "A"}${value.slice(1)}`;
    const forged = [
      flipped,
      value.slice(1),
      `${value}A`,
      "",
      "admin",
      "null",
      "%00",
      "a".repeat(4_000),
    ];
    for (const each of forged) {
      const headers = { ...page(url), cookie: `${name}=${each}` };
      const { status, code } = await knock(url, { path: me, headers });
      expect([each, status, code]).toEqual([
        each,
        401,
        expect.stringMatching(/VISIT_OVER|TOKEN_WRONG/),
      ]);
    }
    const headers = { ...page(url), cookie };
    expect((await knock(url, { path: me, headers })).status).toBe(200);
    // Where a token is shown it decides: a wrong one is not made good by a cookie.
    const both = { ...headers, ...bearer("wrong") };
    expect((await knock(url, { path: me, headers: both })).code).toBe("TOKEN_WRONG");
    await own.holdfast("token", "revoke", "anna");
    expect((await knock(url, { path: me, headers })).code).toBe("VISIT_OVER");
    await host.stop();
  });

  test("a visit makes no tokens and no links", async () => {
    const { host, url, admin } = await open();
    const headers = { ...page(url), ...(await login(url, admin)) };
    for (const path of ["/api/v1/tokens", "/api/v1/login-codes"]) {
      const asked = await knock(url, { method: "POST", path, headers, body: "{}" });
      expect(asked).toMatchObject({ status: 403, code: "ROLE_TOO_LOW" });
    }
    await host.stop();
  });
});

describe("other pages", () => {
  test("cannot ask in the name of who is logged in", async () => {
    const { host, url, admin } = await open();
    await deployIdle(url, admin);
    const { cookie } = await login(url, admin);
    const own: Record<string, string> = { ...page(url), cookie };
    const without = (name: string) => {
      return Object.fromEntries(Object.entries(own).filter(([each]) => each !== name));
    };
    const from = [
      { ...own, "sec-fetch-site": "cross-site" },
      { ...own, "sec-fetch-site": "same-site" },
      { ...own, origin: "https://evil.example" },
      { ...own, origin: "null" },
      // Another port of this machine: the browser sends it the same cookies.
      { ...own, origin: "http://127.0.0.1:1" },
      { ...own, origin: url.replace("127.0.0.1", "localhost") },
      without("holdfast-page"),
      { cookie, "content-type": "text/plain" },
    ];
    for (const headers of from) {
      const { status, code } = await knock(url, { ...pause, headers, body });
      expect([headers, status, code]).toEqual([headers, 403, "CROSS_SITE_REFUSED"]);
    }
    for (const site of ["cross-site", "same-site"]) {
      const headers = { cookie, "sec-fetch-site": site };
      expect((await knock(url, { path: me, headers })).code).toBe("CROSS_SITE_REFUSED");
    }
    expect((await knock(url, { ...pause, headers: own, body })).status).toBe(200);
    expect((await knock(url, { path: me, headers: without("holdfast-page") })).status).toBe(200);
    await host.stop();
  });

  test("cannot log their reader in as somebody else", async () => {
    const { host, url, admin } = await open();
    const path = "/api/v1/login-codes";
    const made = await knock(url, { method: "POST", path, headers: bearer(admin) });
    const { code } = JSON.parse(made.text) as { code: string };
    const evil = { "sec-fetch-site": "cross-site", origin: "https://evil.example" };
    expect((await postCode(url, code, evil)).code).toBe("CROSS_SITE_REFUSED");
    const bare = await knock(url, {
      method: "POST",
      path: "/login",
      body: JSON.stringify({ code }),
    });
    expect(bare.code).toBe("CROSS_SITE_REFUSED");
    // It was not used up by that.
    expect((await postCode(url, code)).status).toBe(200);
    await host.stop();
  });

  test("cannot let their own name lead to this host", async () => {
    const { host, url, admin } = await open();
    const { port } = new URL(url);
    const foreign = [
      "evil.example",
      `evil.example:${port}`,
      `127.0.0.1.evil.example:${port}`,
      `localhost.evil.example:${port}`,
      "localhost.",
      `127.0.0.1@evil.example:${port}`,
      "evil.example#127.0.0.1",
      "[evil]",
      "127.0.0.1 evil.example",
      "",
    ];
    for (const name of foreign) {
      for (const path of ["/health", me, "/login", "/hooks/idle/shown"]) {
        const headers = { ...bearer(admin), host: name };
        const method = path.startsWith("/hooks") ? "POST" : "GET";
        const { status, text } = await knock(url, { method, path, headers });
        expect([name, path, status]).toEqual([
          name,
          path,
          expect.toSatisfy((each) => each === 421 || each === 400),
        ]);
        expect(text).not.toContain("admin");
      }
    }
    for (const name of [`127.0.0.1:${port}`, `LOCALHOST:${port}`, "localhost", `[::1]:${port}`]) {
      expect((await knock(url, { path: "/health", headers: { host: name } })).status).toBe(200);
    }
    await host.stop();
  });

  test("are kept from showing, framing or reading anything: on every answer", async () => {
    const { host, url, admin } = await open();
    const answers = [
      await knock(url, { path: "/health" }),
      await knock(url, { path: "/login" }),
      await knock(url, { path: me, headers: bearer(admin) }),
      await knock(url, { path: me }),
      await knock(url, { path: "/nowhere", headers: bearer(admin) }),
      await knock(url, { path: "/health", headers: { host: "evil.example" } }),
      await knock(url, { method: "POST", path: "/hooks/idle/shown", body: "{}" }),
      await knock(url, { ...pause, headers: bearer(admin), body: "not JSON" }),
      await knock(url, { ...pause, headers: bearer(admin), body: "x".repeat(5_000_000) }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([
      200, 200, 200, 401, 404, 421, 401, 400, 413,
    ]);
    for (const { headers } of answers) {
      expect(headers).toMatchObject({
        "content-security-policy": expect.stringMatching(
          /^default-src 'none'; script-src 'self'; .*frame-ancestors 'none'$/,
        ),
        "x-frame-options": "DENY",
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-resource-policy": "same-origin",
        "cross-origin-opener-policy": "same-origin",
        "cache-control": "no-store",
      });
      expect(headers).not.toHaveProperty("access-control-allow-origin");
      expect(headers).not.toHaveProperty("strict-transport-security");
    }
    await host.stop();
  });
});
