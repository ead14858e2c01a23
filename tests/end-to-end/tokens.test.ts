import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nameOfUser } from "@holdfast/server/access";
import { describe, expect, onTestFinished, test } from "vitest";
import { HostProcess, newFolder } from "./host-process.ts";
import { bearer, knock } from "./knock.ts";
import { deployIdle, OwnHost } from "./own-host.ts";
import { places } from "./stores.ts";

const me = "/api/v1/me";
const read = (path: string) => readFileSync(path, "utf8");

describe("tokens of the shipped program", () => {
  test("the first start makes an admin, named like the user, and needs nothing else", async () => {
    const own = new OwnHost();
    const { host } = await own.start();
    await host.said(/To log in with a browser, once, within 10 minutes: http:\S+\/login#\S{43}\n/);
    const { out } = await own.holdfast("token", "ls", "--json");
    const [first] = (JSON.parse(out) as { items: object[] }).items;
    expect(first).toMatchObject({ name: nameOfUser(), role: "admin", expiresAt: null });
    expect(out).not.toContain("hash");
    await host.stop();
    const again = await own.start();
    expect((await own.holdfast("workflows")).code).toBe(0);
    expect(again.host.output.join("")).not.toContain("/login#");
    await again.host.stop();
  });

  test("[R127] the journal's actor is the token's name, whatever the request says", async () => {
    const own = new OwnHost();
    const { host, url } = await own.start();
    await deployIdle(url, read(join(own.folder, "token")).trim());
    const anna = await own.makeToken("anna", "operator");
    for (const said of ["eve", "host", "host:h-1"]) {
      const headers = { ...bearer(anna), "holdfast-actor": said, "x-actor": said };
      const body = JSON.stringify({ kind: "pause_workflow", actor: said });
      const path = "/api/v1/workflows/idle/commands";
      expect((await knock(url, { method: "POST", path, headers, body })).status).toBe(422);
      const paused = JSON.stringify({ kind: "pause_workflow" });
      const answer = await knock(url, { method: "POST", path, headers, body: paused });
      expect([200, 409]).toContain(answer.status);
    }
    const { out } = await host.holdfastAs({ HOLDFAST_TOKEN: anna }, "why", "idle");
    expect(out).toMatch(/paused by anna/);
    expect(out).not.toMatch(/\beve\b|by host/);
    await host.stop();
  });

  test("one that was revoked or has expired opens nothing, from that moment on", async () => {
    const own = new OwnHost();
    const { host, url } = await own.start();
    const [anna, eve] = [
      await own.makeToken("anna", "viewer"),
      await own.makeToken("eve", "viewer", "--expires", "1m"),
    ];
    for (const token of [anna, eve]) {
      expect((await knock(url, { path: me, headers: bearer(token) })).status).toBe(200);
    }
    expect(await own.holdfast("token", "revoke", "anna")).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Through the host at http.*\nanna is revoked\n$/),
    });
    await host.said(/revoked the token anna \(viewer\)/);
    expect(await knock(url, { path: me, headers: bearer(anna) })).toMatchObject({
      status: 401,
      code: "TOKEN_WRONG",
    });
    // As if the minute were over.
    const file = join(own.folder, "tokens.json");
    writeFileSync(file, read(file).replaceAll(/"expiresAt": \d+/g, '"expiresAt": 1'));
    expect(await knock(url, { path: me, headers: bearer(eve) })).toMatchObject({
      status: 401,
      code: "TOKEN_EXPIRED",
    });
    await host.stop();
  });

  test("are made and revoked in the file while no host runs, and it says so", async () => {
    const own = new OwnHost();
    const words = ["token", "create", "anna", "--role", "operator"];
    const nowhere = await own.holdfast(...words);
    expect(nowhere).toMatchObject({ code: 2, out: expect.stringMatching(/there is no folder/) });
    expect(existsSync(own.folder)).toBe(false);
    expect((await own.holdfast("start", "--check")).code).toBe(0);
    const made = await own.holdfast(...words);
    expect(made.out).toMatch(
      /^Without a host, in .*tokens\.json:\nanna \(operator, never expires\)/,
    );
    const token = made.out.trim().split("\n").at(-1) ?? "";
    expect((await own.holdfast("token", "create", "anna", "--role", "viewer")).out).toMatch(
      /^TOKEN_REFUSED: There is a token anna already\./,
    );
    const { host, url } = await own.start();
    expect((await knock(url, { path: me, headers: bearer(token) })).status).toBe(200);
    host.kill("SIGKILL");
    await host.ended;
    const revoked = await own.holdfast("token", "revoke", "anna");
    expect(revoked.out).toMatch(/^Without a host.*\nanna is revoked\n$/);
    expect((await own.holdfast("token", "ls")).out).not.toMatch(/anna/);
  });

  test("a command that changes the file beside a running host counts at once", async () => {
    const own = new OwnHost();
    const { host, url } = await own.start();
    const anna = await own.makeToken("anna", "viewer");
    expect((await knock(url, { path: me, headers: bearer(anna) })).status).toBe(200);
    const file = join(own.folder, "tokens.json");
    const other = new OwnHost({ environment: { HOLDFAST_TOKENS: file } });
    expect((await other.holdfast("token", "revoke", "anna")).out).toMatch(/^Without a host, in /);
    expect((await knock(url, { path: me, headers: bearer(anna) })).status).toBe(401);
    await host.stop();
  });

  test("the first admin can be replaced, and its token is of no use then", async () => {
    const own = new OwnHost();
    const { host, url } = await own.start();
    const first = read(join(own.folder, "token")).trim();
    const refused = await own.holdfast("token", "revoke", nameOfUser());
    expect(refused).toMatchObject({ code: 3, out: expect.stringMatching(/is the last admin/) });
    const ada = await own.makeToken("ada", "admin");
    const how = { HOLDFAST_TOKEN: ada };
    expect(await host.holdfastAs(how, "token", "revoke", nameOfUser())).toMatchObject({
      code: 0,
    });
    expect(existsSync(join(own.folder, "token"))).toBe(false);
    expect((await knock(url, { path: me, headers: bearer(first) })).status).toBe(401);
    expect((await own.holdfast("workflows")).out).toMatch(/There is no token of yours in/);
    await host.stop();
  });

  test("a file that somebody broke lets nobody in, and the host goes on", async () => {
    const own = new OwnHost();
    const { host, url } = await own.start();
    const token = read(join(own.folder, "token")).trim();
    const file = join(own.folder, "tokens.json");
    const whole = read(file);
    writeFileSync(file, "{}");
    expect(await knock(url, { path: me, headers: bearer(token) })).toMatchObject({
      status: 503,
      code: "TOKENS_UNUSABLE",
    });
    expect((await knock(url, { path: "/health" })).status).toBe(200);
    writeFileSync(file, whole);
    expect((await knock(url, { path: me, headers: bearer(token) })).status).toBe(200);
    await host.stop();
  });

  test.each([
    { words: ["create", "anna"], says: /required option '--role/ },
    {
      words: ["create", "anna", "--role", "root"],
      says: /Allowed choices are executor, viewer, operator/,
    },
    { words: ["create", "anna", "--role", "viewer", "--expires", "soon"], says: /soon is no time/ },
    { words: ["revoke"], says: /missing required argument/ },
  ])("holdfast token $words is refused in a sentence", async ({ words, says }) => {
    const { code, out } = await new OwnHost().holdfast("token", ...words);
    expect(out).toMatch(says);
    expect(code).toBe(2);
  });

  test("HOLDFAST_TOKEN of a host is an admin in no file; a short one is refused", async () => {
    const token = "sixteen-or-more!";
    const own = new OwnHost({ environment: { HOLDFAST_TOKEN: token } });
    const { host, url } = await own.start();
    const { text } = await knock(url, { path: me, headers: bearer(token) });
    expect(JSON.parse(text)).toMatchObject({ name: nameOfUser(), role: "admin" });
    expect(JSON.parse(read(join(own.folder, "tokens.json")))).toEqual({ tokens: [], visits: [] });
    await host.stop();
    const short = new OwnHost({ environment: { HOLDFAST_TOKEN: "short" } });
    await expect(short.start()).rejects.toThrow(/HOLDFAST_TOKEN has to have 16 characters/);
  });
});

describe("tokens on PostgreSQL", () => {
  test("are shared by hosts that have one file, and printed where there is none", async () => {
    const store = await places.PostgreSQL();
    const HOLDFAST_TOKENS = join(newFolder(), "shared", "tokens.json");
    const start = async (environment: Record<string, string>) => {
      const given = { HOLDFAST_TOKEN: "", ...environment };
      const host = new HostProcess({ store, accountsFile: "", environment: given });
      onTestFinished(() => host.kill("SIGKILL"));
      return { host, url: await host.url };
    };
    const first = await start({ HOLDFAST_TOKENS });
    await first.host.said(/The token of \S+ \(admin\) is \S{43}\n/);
    const [, admin = ""] = /\(admin\) is (\S{43})/.exec(first.host.output.join("")) ?? [];
    const second = await start({ HOLDFAST_TOKENS });
    expect(second.host.output.join("")).not.toContain("(admin) is");
    const as = { HOLDFAST_TOKEN: admin };
    const words = ["token", "create", "anna", "--role", "viewer", "--json"];
    const { out } = await first.host.holdfastAs(as, ...words);
    const { token } = JSON.parse(out) as { token: string };
    expect((await knock(second.url, { path: me, headers: bearer(token) })).status).toBe(200);
    expect((await second.host.holdfastAs(as, "token", "revoke", "anna")).code).toBe(0);
    expect((await knock(first.url, { path: me, headers: bearer(token) })).status).toBe(401);
    const third = await start({});
    await third.host.said(/\(admin\) is \S{43}\n/);
    expect((await knock(third.url, { path: me, headers: bearer(admin) })).status).toBe(401);
    await Promise.all([first, second, third].map(({ host }) => host.stop()));
  });
});
