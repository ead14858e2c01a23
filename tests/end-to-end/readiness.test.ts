import { expect, onTestFinished, test } from "vitest";
import { HostProcess, newFolder, writeAccounts } from "./host-process.ts";
import { knock } from "./knock.ts";
import { OrderShop } from "./order-shop.ts";
import { places } from "./stores.ts";
import { deployOrders, publishOrders } from "./story.ts";

async function ask(host: HostProcess, path: string) {
  const { status, text } = await knock(await host.url, { path });
  return { status, body: JSON.parse(text) as object };
}

test("[R143] a host is ready while it works, and alive but not ready while it stops", async () => {
  const store = await places.SQLite();
  const shop = await OrderShop.start();
  onTestFinished(() => shop.stop());
  shop.mood = "delays";
  const accountsFile = writeAccounts(newFolder(), shop.url);
  const host = new HostProcess({ store, accountsFile });
  onTestFinished(() => host.kill("SIGKILL"));
  const ready = { status: 200, body: { ready: true, store: "ok", work: "working" } };
  expect(await ask(host, "/ready")).toEqual(ready);
  await deployOrders(host);
  await publishOrders(host, ["o-1"]);
  await expect.poll(() => shop.applied.length, { timeout: 20_000 }).toBe(1);
  const headers = { authorization: "Bearer a-token-for-tests" };
  const { text } = await knock(await host.url, { path: "/metrics", headers });
  expect(text).toContain('holdfast_facts_total{kind="mutation_sent"} 1\n');
  expect(text).toContain("holdfast_hosts 1\n");
  host.kill("SIGTERM");
  await host.said(/finishing what runs/);
  const stopping = { status: 503, body: { ready: false, store: "ok", work: "stopping" } };
  expect(await ask(host, "/ready")).toEqual(stopping);
  expect(await ask(host, "/health")).toMatchObject({ status: 200, body: { status: "ok" } });
  shop.answerHeld();
  expect(await host.ended).toMatchObject({ code: 0 });
});
