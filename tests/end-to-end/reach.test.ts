import { readFileSync } from "node:fs";
import { join } from "node:path";
import { routeRoles, withinReach } from "@holdfast/server/least-role";
import { expect, test } from "vitest";
import { bearer, knock } from "./knock.ts";
import { LiveClient } from "./live-client.ts";
import { deployIdle, login, OwnHost, page } from "./own-host.ts";

type Items = { readonly items: readonly { readonly workflow: string }[] };

const otherSource = `
import { workflow } from "@holdfast/sdk";
export default workflow({
  name: "other",
  topics: { things: { observed: true } },
  producers: { bare: { publishes: ["things"], webhook: true, handler: async () => {} } },
});`;
const otherScript = { source: { entry: "other.ts", files: { "other.ts": otherSource } } };

/** Two workflows, and a token that reaches one of them. */
async function open() {
  const own = new OwnHost();
  const { host, url } = await own.start();
  const admin = readFileSync(join(own.folder, "token"), "utf8").trim();
  await deployIdle(url, admin);
  const ask = async (token: string, method: string, path: string, body: object = {}) => {
    const text = method === "POST" ? { body: JSON.stringify(body) } : {};
    return knock(url, { method, path, headers: bearer(token), ...text });
  };
  const deployed = await ask(admin, "POST", "/api/v1/versions", otherScript);
  expect(deployed.status).toBe(200);
  const within = await own.makeToken("within", "admin", "--workflows", "idle");
  return { own, host, url, admin, within, ask };
}

test("[R127] a token that reaches some workflows sees and changes nothing else", async () => {
  const { own, host, url, admin, within, ask } = await open();
  const visit = { ...page(url), ...(await login(url, within)) };
  for (const [route, least] of Object.entries(routeRoles)) {
    if (least === "anyone" || least === "hook" || withinReach.has(route)) continue;
    const [method = "", pattern = ""] = route.split(" ");
    for (const name of ["other", "%6fther", "nobody"]) {
      const path = pattern.replace(":workflow", name).replaceAll(/:\w+(\{\.\+\})?/g, "none");
      const { status, code } = await ask(within, method, path);
      expect([route, name, status, code]).toEqual([route, name, 403, "ROLE_TOO_LOW"]);
    }
  }
  const seen = await knock(url, { path: "/api/v1/workflows/other", headers: visit });
  expect(seen.status).toBe(403);
  for (const list of ["/api/v1/workflows", "/api/v1/attention"]) {
    const { status, text } = await ask(within, "GET", list);
    expect([status, (JSON.parse(text) as Items).items.map(({ workflow }) => workflow)]).toEqual([
      200,
      list.endsWith("workflows") ? ["idle"] : [],
    ]);
  }
  for (const workflow of ["other", "idle"]) {
    const body = { topic: "things", messageId: "t-1", payload: {} };
    const command = { kind: "publish_event", body };
    const path = `/api/v1/workflows/${workflow}/commands`;
    expect((await ask(admin, "POST", path, command)).status).toBe(200);
  }
  const happened = async (token: string, narrowed = "") => {
    const { text } = await ask(token, "GET", `/api/v1/activity${narrowed}`);
    return (JSON.parse(text) as Items).items.map(({ workflow }) => workflow);
  };
  expect((await happened(admin)).toSorted()).toEqual(["idle", "other"]);
  expect(await happened(within)).toEqual(["idle"]);
  expect(await happened(within, "?workflow=other")).toEqual([]);
  expect((await ask(within, "GET", "/api/v1/workflows/idle/audit")).status).toBe(200);
  expect((await ask(within, "POST", "/api/v1/versions", otherScript)).status).toBe(403);
  expect((await ask(within, "POST", "/hooks/other/bare")).status).toBe(401);
  expect((await ask(within, "POST", "/hooks/idle/bare")).status).toBe(200);
  expect((await own.holdfast("token", "ls")).out).toMatch(/within +admin .* idle\n/);
  const stream = await new LiveClient(url, bearer(within)).follows();
  for (const workflow of ["other", "idle"]) {
    const body = { kind: "pause_workflow" };
    await ask(admin, "POST", `/api/v1/workflows/${workflow}/commands`, body);
  }
  await stream.saw(({ data }) => data.includes('"idle"'));
  expect(stream.events.filter(({ data }) => data.includes("other"))).toEqual([]);
  await host.stop();
});

test("the same key has the same answer, and what has changed meanwhile is refused", async () => {
  const { host, url, admin } = await open();
  const post = async (path: string, body: object, headers: Record<string, string>) =>
    knock(url, {
      method: "POST",
      path: `/api/v1${path}`,
      headers: { ...bearer(admin), ...headers },
      body: JSON.stringify(body),
    });
  const posts: readonly (readonly [string, object])[] = [
    ["/tokens", { name: "twice", role: "viewer" }],
    ["/login-codes", {}],
    ["/versions", otherScript],
    ["/brake", { isOn: true }],
    ["/workflows/idle/commands", { kind: "pause_workflow" }],
    ["/workflows/idle/grants", { grants: [] }],
    ["/workflows/idle/attention/a1", { answer: "resume" }],
    ["/accounts/none/resume", {}],
  ];
  for (const [path, body] of posts) {
    const headers = { "idempotency-key": `key of ${path}` };
    const [first, again] = [await post(path, body, headers), await post(path, body, headers)];
    expect([path, again.status, again.text]).toEqual([path, first.status, first.text]);
    const other = await post(path, { ...body, more: 1 }, headers);
    expect([path, other.status, other.code]).toEqual([path, 409, "COMMAND_ID_REUSED"]);
  }
  const stale = async (path: string, body: object, seen: string) => {
    const { status, text } = await post(path, body, { "if-match": seen });
    return [status, text.includes("revision_stale")];
  };
  const resume = { kind: "resume_workflow" };
  expect(await stale("/workflows/idle/commands", resume, '"active"')).toEqual([412, true]);
  expect(await stale("/workflows/idle/commands", resume, '"paused"')).toEqual([200, false]);
  expect(await stale("/workflows/idle/grants", { grants: [] }, '"7"')).toEqual([412, true]);
  expect(await stale("/versions", otherScript, '"0.9"')).toEqual([412, true]);
  expect(await stale("/versions", otherScript, '"1.0"')).toEqual([200, false]);
  await host.stop();
});
