import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { HostProcess, newFolder, type StorePlace, verifyFull } from "./host-process.ts";
import { places } from "./stores.ts";

const connector = `
import { defineConnector } from "@holdfast/connector-kit";

const operation = (kind, path) => ({
  kind,
  readParams: (given) => given,
  identity: (params) => params,
  target: ({ baseUrl }) => baseUrl,
  describe: () => path,
  execute: async ({ account, go, signal }) => {
    go();
    return (await fetch(account.baseUrl + path, { signal })).json();
  },
});

export default defineConnector({
  name: "scales",
  version: "1",
  readAccount: ({ baseUrl }) => ({ baseUrl, timeoutMs: 60_000 }),
  operations: { weigh: operation("metered", "/weigh"), look: operation("read:byId", "/look") },
});`;

const script = `
import { workflow } from "@holdfast/sdk";
export default workflow({
  name: "weighing",
  connections: { corner: { connector: "scales" } },
  topics: { weighed: { observed: true } },
  producers: { weigh: { manual: true, publishes: ["weighed"], handler: async (ctx) => {
    const { bill } = await ctx.corner.weigh({ id: "a" });
    await ctx.corner.look({ id: "a" });
    await ctx.publish("weighed", { messageId: "bill-" + bill, title: "Bill " + bill, bill });
  } } },
});`;

/** Each weighing is a bill; who looks first gets no answer. */
async function openScales() {
  const scales = { bills: 0, looked: Promise.withResolvers<void>() };
  let looks = 0;
  const server = createServer((request, response) => {
    if (request.url === "/weigh") scales.bills += 1;
    else if (looks++ === 0) return scales.looked.resolve();
    response.end(JSON.stringify({ bill: scales.bills }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { scales, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function hostIn(store: StorePlace, baseUrl: string): () => HostProcess {
  const folder = newFolder();
  const at = (name: string) => join(folder, name);
  writeFileSync(at("scales.js"), connector);
  writeFileSync(at("holdfast.config.js"), 'export default { connectors: ["./scales.js"] };');
  writeFileSync(at("accounts.json"), JSON.stringify({ corner: { connector: "scales", baseUrl } }));
  const environment = { HOLDFAST_CONFIG: at("holdfast.config.js"), HOLDFAST_LEASE_MS: "3000" };
  return () => {
    const host = new HostProcess({ store, accountsFile: at("accounts.json"), environment });
    onTestFinished(() => host.kill("SIGKILL"));
    return host;
  };
}

describe.each(Object.entries(places))("through the shipped program, on %s", (_, newStore) => {
  test("[C28] a host that is killed after a metered answer is not billed again", async () => {
    const store = await newStore();
    const { scales, url } = await openScales();
    const start = hostIn(store, url);
    const host = start();
    const source = { entry: "weighing.ts", files: { "weighing.ts": script } };
    const allow = ["corner.weigh", "corner.look"];
    await host.api("POST", "/versions", { source, allow });
    await host.api("POST", "/workflows/weighing/commands", { kind: "run_now", body: {} });
    await scales.looked.promise;
    host.kill("SIGKILL");
    await host.ended;
    const next = start();
    const path = "/workflows/weighing/outputs?status=event";
    const titles = async () => {
      const { items } = await next.api<{ items: readonly { title: string }[] }>("GET", path);
      return items.map(({ title }) => title);
    };
    await expect.poll(titles, { timeout: 60_000, interval: 50 }).toEqual(["Bill 1"]);
    expect(scales.bills).toBe(1);
    await next.stop();
    expect((await verifyFull(store)).out).toContain("nothing differs");
  });
});
