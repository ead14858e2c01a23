import { inboxKinds } from "@holdfast/core";
import { isAtLeast, type Role, roles } from "@holdfast/protocol";
import { commandRoles, notByVisit, routeRoles } from "@holdfast/server/least-role";
import { describe, expect, test } from "vitest";
import { bearer, knock } from "./knock.ts";
import { deployIdle, login, OwnHost, page } from "./own-host.ts";

type Way = {
  readonly role: Role | null;
  readonly by: "nothing" | "token" | "visit";
  readonly headers: Readonly<Record<string, string>>;
};

/** A host with one workflow, and everybody who may come to it. */
async function open() {
  const own = new OwnHost();
  const { host, url } = await own.start();
  const tokens = new Map<Role, string>();
  for (const role of roles) tokens.set(role, await own.makeToken(`the-${role}`, role));
  await deployIdle(url, tokens.get("admin") ?? "");
  const byToken = [...tokens].map(([role, token]): Way => {
    return { role, by: "token", headers: bearer(token) };
  });
  const byVisit = await Promise.all(
    [...tokens]
      .filter(([role]) => role !== "executor")
      .map(async ([role, token]): Promise<Way> => {
        return { role, by: "visit", headers: { ...page(url), ...(await login(url, token)) } };
      }),
  );
  const nobody: Way = { role: null, by: "nothing", headers: {} };
  return { host, url, ways: [nobody, ...byToken, ...byVisit], byToken };
}

/** What the page for people says comes of it. */
function documented(role: Role | null, least: string): 401 | 403 | "served" {
  if (least === "anyone") return "served";
  if (role === null) return 401;
  // What an executor does is for nobody else, an admin included.
  const isEnough = least === "executor" ? role === least : isAtLeast(role, least as Role);
  return isEnough ? "served" : 403;
}

function served(status: number): 401 | 403 | "served" {
  return status === 401 || status === 403 ? status : "served";
}

/** Logging out comes last: it ends the visits that the others are tried with. */
const routes = Object.entries(routeRoles).sort(([a], [b]) => {
  return Number(a === "POST /logout") - Number(b === "POST /logout");
});

/** Versions and grants have their own ways in: where all others are, they are no commands. */
const notHere = new Set<string>(["activate_version", "set_envelope", "propose_version"]);

describe("the roles of the shipped program", () => {
  test("[R127] every request is answered to every role as it is written down", async () => {
    const { host, url, ways } = await open();
    for (const [route, least] of routes.filter(([, each]) => each !== "hook")) {
      const [method = "", pattern = ""] = route.split(" ");
      const path = pattern.replace(":workflow", "idle").replaceAll(/:\w+(\{\.\+\})?/g, "none");
      const body = method === "POST" ? { body: "{}" } : {};
      for (const { role, by, headers } of ways) {
        const asked = route === "POST /login" ? { ...headers, ...page(url) } : headers;
        // A login without a code is malformed, and so comes after the question who asks.
        // A stream would never end.
        const isStream = path === "/api/v1/live" && documented(role, least) === "served";
        const how = isStream ? "HEAD" : method;
        const { status, code } = await knock(url, { method: how, path, headers: asked, ...body });
        const isForTokens = by === "visit" && notByVisit.has(route);
        const expected = isForTokens ? 403 : documented(role, least);
        expect([route, by, role, served(status)]).toEqual([route, by, role, expected]);
        expect(status).toBeLessThan(500);
        if (status === 403) expect(code).toBe("ROLE_TOO_LOW");
        if (status === 401) expect(code).toBe("TOKEN_WRONG");
      }
    }
    await host.stop();
  });

  test("[R127] every command is taken from every role as it is written down", async () => {
    const { host, url, ways, byToken } = await open();
    const ask = async (kind: string, { headers }: Way) => {
      const path = "/api/v1/workflows/idle/commands";
      return knock(url, { method: "POST", path, headers, body: JSON.stringify({ kind }) });
    };
    for (const kind of inboxKinds) {
      for (const way of ways) {
        const { status, code } = await ask(kind, way);
        const isHere = !notHere.has(kind) || way.role === null || !isAtLeast(way.role, "operator");
        const expected = isHere ? documented(way.role, commandRoles[kind]) : "served";
        expect([kind, way.role, served(status)]).toEqual([kind, way.role, expected]);
        if (status === 403) expect(code).toBe("ROLE_TOO_LOW");
      }
    }
    const operator = byToken.find(({ role }) => role === "operator");
    if (operator === undefined) throw new Error("no operator");
    expect((await ask("no_such_command", operator)).status).toBe(422);
    await host.stop();
  });

  test("an executor sees nothing, and does not log in", async () => {
    const { host, url, byToken } = await open();
    const headers = byToken.find(({ role }) => role === "executor")?.headers ?? {};
    const places = ["GET /api/v1/workflows", "GET /api/v1/me", "POST /api/v1/login-codes"];
    for (const [method = "", path = ""] of places.map((each) => each.split(" "))) {
      const { status, code } = await knock(url, { method, path, headers });
      expect([path, status, code]).toEqual([path, 403, "ROLE_TOO_LOW"]);
    }
    await host.stop();
  });

  test("[R127] an operator stops everything, and only an admin lets it go again", async () => {
    const { host, url, byToken } = await open();
    const brake = async (role: Role, isOn: boolean) => {
      const headers = byToken.find((way) => way.role === role)?.headers ?? {};
      const body = JSON.stringify({ isOn });
      return (await knock(url, { method: "POST", path: "/api/v1/brake", headers, body })).status;
    };
    expect(await brake("viewer", true)).toBe(403);
    expect(await brake("operator", true)).toBe(200);
    expect(await brake("operator", false)).toBe(403);
    expect(await brake("admin", false)).toBe(200);
    await host.stop();
  });
});
