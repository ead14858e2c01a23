import { readFileSync } from "node:fs";
import { inboxKinds } from "@holdfast/core";
import { describe, expect, test } from "vitest";
import { Access } from "../access/access.ts";
import { MemoryBook } from "../access/access-book.ts";
import { type ApiParts, makeApp } from "./app.ts";
import { commandRoles, notByVisit, routeRoles } from "./least-role.ts";
import { requireCommandRole } from "./who-asks.ts";

/** Only what stands before the routes is used here. */
function newApp() {
  const access = new Access({ book: new MemoryBook(), given: null, now: () => 1 });
  const { token } = access.create({ name: "ada", role: "admin", expiresInMs: null, by: "test" });
  const app = makeApp({ access, names: [] } as unknown as ApiParts);
  const socket = { remoteAddress: "127.0.0.1", localPort: 7_433 };
  const ask = async (method: string, path: string, more: Record<string, string> = {}) => {
    const headers = { host: "127.0.0.1:7433", ...more };
    const env = { incoming: { socket, headers } };
    const answer = await app.request(path, { method, headers }, env);
    return { status: answer.status, body: method === "HEAD" ? null : await answer.json() };
  };
  const admin = { authorization: `Bearer ${token}` };
  const get = (path: string) => ask("GET", path, admin);
  return { app, ask, get, admin };
}

const routes = () =>
  newApp()
    .app.routes.filter(({ method, path }) => method !== "ALL" || path !== "/*")
    .map(({ method, path }) => `${method} ${path}`);

/** `| what | role |` lines of the page for people. */
function documented(): readonly (readonly [string, string])[] {
  const page = readFileSync(new URL("../../../docs/people.md", import.meta.url), "utf8");
  return [...page.matchAll(/^\| `([^`]+)` \| (\w+) \|/gm)].map(([, what = "", role = ""]) => [
    what,
    role,
  ]);
}

describe("who may ask for what", () => {
  test("every route has its line, and every line its route", () => {
    expect([...new Set(routes())].sort()).toEqual(Object.keys(routeRoles).sort());
    for (const route of notByVisit) expect(Object.keys(routeRoles)).toContain(route);
  });

  test("every command of the core has its line, and every line its command", () => {
    expect(Object.keys(commandRoles).sort()).toEqual([...inboxKinds].sort());
  });

  test("people are told the same", () => {
    const said = Object.entries({ ...routeRoles, ...commandRoles }).sort();
    expect(documented().toSorted()).toEqual(said);
  });

  test("only reading, logging in, pushing and executing are open to less than an operator", () => {
    const open = Object.entries(routeRoles).filter(
      ([, least]) => least !== "operator" && least !== "admin",
    );
    const changing = open.map(([route]) => route).filter((route) => !route.startsWith("GET "));
    expect(changing).toEqual([
      "POST /login",
      "POST /logout",
      "POST /hooks/:workflow/:path",
      "POST /api/v1/login-codes",
      "POST /api/v1/executors/:executor/take",
      "POST /api/v1/executors/:executor/receipts",
    ]);
    expect(Object.values(commandRoles)).not.toContain("viewer");
  });
});

describe("what nobody has written a line for", () => {
  test("another method is no way around a line, and what is nowhere needs a login", async () => {
    const { ask, admin } = newApp();
    for (const method of ["HEAD", "PUT", "PATCH", "OPTIONS", "DELETE"]) {
      expect((await ask(method, "/api/v1/me")).status).toBe(401);
      const known = await ask(method, "/api/v1/me", admin);
      expect([method, known.status]).toEqual([method, method === "HEAD" ? 200 : 404]);
    }
    for (const path of [
      "/nowhere",
      "/page/",
      "/api/v1/",
      "/API/V1/me",
      "//api/v1/me",
      "/api/v1/me/",
    ]) {
      expect([path, (await ask("GET", path)).status]).toEqual([path, 401]);
      expect([path, (await ask("GET", path, admin)).status]).toEqual([path, 404]);
    }
  });

  test("a new route is refused to an admin", async () => {
    const { app, get } = newApp();
    app.get("/api/v1/new", (context) => context.json("shown"));
    expect(await get("/api/v1/new")).toMatchObject({ status: 403, body: { code: "ROLE_TOO_LOW" } });
    expect(await get("/api/v1/me")).toMatchObject({ status: 200, body: { name: "ada" } });
    const env = { incoming: { socket: {}, headers: {} } };
    expect((await app.request("/api/v1/new", {}, env)).status).toBe(421);
  });

  test("a route for every method is refused too", async () => {
    const { app, get } = newApp();
    app.all("/api/v1/all", (context) => context.json("shown"));
    expect(await get("/api/v1/all")).toMatchObject({ status: 403 });
  });

  test("a new command is refused to an admin", () => {
    const ada = {
      name: "ada",
      role: "admin",
      by: "token",
      tokenHash: "",
      until: null,
      workflows: null,
    } as const;
    for (const kind of ["new_command", "toString", "__proto__"]) {
      expect(() => requireCommandRole(ada, kind)).toThrow(/Nobody has said who may ask/);
    }
    expect(() => requireCommandRole(ada, "release_brake")).not.toThrow();
  });
});
