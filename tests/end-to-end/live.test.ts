import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { bearer, knock } from "./knock.ts";
import { LiveClient, type LiveEvent } from "./live-client.ts";
import { deployIdle, login, OwnHost, page } from "./own-host.ts";

async function open() {
  const own = new OwnHost();
  const { host, url } = await own.start();
  const admin = readFileSync(join(own.folder, "token"), "utf8").trim();
  await deployIdle(url, admin);
  return { own, host, url, admin };
}

/** A command that changes the workflow; its verdict is in. */
async function change(url: string, admin: string, isPause: boolean): Promise<void> {
  const body = JSON.stringify({ kind: isPause ? "pause_workflow" : "resume_workflow" });
  const path = "/api/v1/workflows/idle/commands";
  const { status } = await knock(url, { method: "POST", path, headers: bearer(admin), body });
  expect(status).toBe(200);
}

function headOf({ event, data }: LiveEvent): number {
  return event === "changed" ? (JSON.parse(data) as { head: number }).head : -1;
}

async function currentHead(url: string, admin: string): Promise<number> {
  const { text } = await knock(url, { path: "/api/v1/workflows", headers: bearer(admin) });
  return (JSON.parse(text) as { items: { records: number }[] }).items[0]?.records ?? 0;
}

describe("following a host", () => {
  test("a stream that is resumed after a restart has what happened meanwhile", async () => {
    const { own, host, url, admin } = await open();
    const client = await new LiveClient(url, bearer(admin)).follows();
    await change(url, admin, true);
    await client.saw((each) => headOf(each) > 0);
    const { lastId } = client;
    client.leave();
    await change(url, admin, false);
    host.kill("SIGKILL");
    await host.ended;
    const again = await own.start();
    await change(again.url, admin, true);
    const head = await currentHead(again.url, admin);
    const headers = { ...bearer(admin), "last-event-id": lastId ?? "" };
    const resumed = await new LiveClient(again.url, headers).follows();
    expect(resumed.events.map(({ event }) => event)).toEqual(["changed", "following"]);
    expect(resumed.events.map(headOf)).toContain(head);
    const [stopped] = await Promise.all([again.host.stop(), resumed.ended]);
    expect(stopped).toMatchObject({ code: 0 });
  });

  test("a place that this store never gave out is refused before the stream begins", async () => {
    const { host, url, admin } = await open();
    const path = "/api/v1/live?after=7%40elsewhere";
    const asked = await knock(url, { path, headers: bearer(admin) });
    expect(asked).toMatchObject({ status: 422, code: "CURSOR_UNKNOWN" });
    const head = await knock(url, { method: "HEAD", path: "/api/v1/live", headers: bearer(admin) });
    expect(head.headers["content-type"]).toBe("text/event-stream");
    await host.stop();
  });

  test("50 at once all see it, beside some that never read", async () => {
    const { host, url, admin } = await open();
    const silent = Array.from({ length: 10 }, () => new LiveClient(url, bearer(admin), false));
    await Promise.all(silent.map(({ opened }) => opened));
    const clients = await Promise.all(
      Array.from({ length: 50 }, () => new LiveClient(url, bearer(admin)).follows()),
    );
    for (let count = 0; count < 20; count += 1) await change(url, admin, count % 2 === 0);
    const head = await currentHead(url, admin);
    await Promise.all(clients.map((client) => client.saw((each) => headOf(each) === head)));
    const [stopped] = await Promise.all([host.stop(), ...clients.map(({ ended }) => ended)]);
    expect(stopped).toMatchObject({ code: 0 });
  });

  test("[R127] a stream ends with its token and with its visit", async () => {
    const { own, host, url, admin } = await open();
    const anna = await own.makeToken("anna", "viewer");
    const byToken = await new LiveClient(url, bearer(anna)).follows();
    const annaVisits = { ...page(url), ...(await login(url, anna)) };
    const byVisit = await new LiveClient(url, annaVisits).follows();
    const visit = { ...page(url), ...(await login(url, admin)) };
    const leaving = await new LiveClient(url, visit).follows();
    const staying = await new LiveClient(url, bearer(admin)).follows();
    await knock(url, { method: "POST", path: "/logout", headers: visit });
    await leaving.ended;
    await own.holdfast("token", "revoke", "anna");
    await Promise.all([byToken.ended, byVisit.ended]);
    await change(url, admin, true);
    await staying.saw((each) => headOf(each) > 0);
    await host.stop();
  });
});
