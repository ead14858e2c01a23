import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  HostProcess,
  newFolder,
  type StorePlace,
  verifyFull,
  writeAccounts,
} from "./host-process.ts";
import { OrderShop } from "./order-shop.ts";
import { places } from "./stores.ts";
import { deployOrders, publishOrders, script } from "./story.ts";

async function begin(store: StorePlace, environment: Readonly<Record<string, string>> = {}) {
  const shop = await OrderShop.start();
  onTestFinished(() => shop.stop());
  const accountsFile = writeAccounts(newFolder(), shop.url);
  const start = () => {
    const host = new HostProcess({ store, accountsFile, environment });
    onTestFinished(() => host.kill("SIGKILL"));
    return host;
  };
  return { shop, start };
}

async function soon(isSo: () => boolean): Promise<void> {
  await expect.poll(isSo, { timeout: 60_000, interval: 10 }).toBe(true);
}

describe.each(Object.entries(places))("holdfast start, on %s", (_, newStore) => {
  test("[R158] deploys, takes events in, books each order once and verifies", async () => {
    const store = await newStore();
    const { shop, start } = await begin(store);
    const first = start();
    expect(await deployOrders(first)).toMatchObject({ version: "1.0", accepted: true });
    await publishOrders(first, ["o-1", "o-2", "o-3"]);
    await soon(() => shop.applied.length === 3);
    expect(await first.stop()).toMatchObject({ code: 0 });
    const second = start();
    await publishOrders(second, ["o-3", "o-4"]);
    await soon(() => shop.applied.length === 4);
    expect(await second.stop()).toMatchObject({ code: 0 });
    expect([...shop.counts.keys()].sort()).toEqual(["o-1", "o-2", "o-3", "o-4"]);
    expect((await verifyFull(store)).out).toContain("nothing differs");
  });

  test("[R84, R110] what nobody allowed is asked about before a byte leaves", async () => {
    const { shop, start } = await begin(await newStore());
    const host = start();
    await deployOrders(host, []);
    await publishOrders(host, ["o-1"]);
    const open = async () => {
      const path = "/workflows/orders/attention?status=open";
      const { items } = await host.api<{
        items: readonly { attentionId: string; subject: string }[];
      }>("GET", path);
      return items;
    };
    await expect.poll(async () => (await open()).length, { timeout: 30_000 }).toBe(1);
    const [question] = await open();
    expect(question).toMatchObject({ kind: "action_needed", answers: ["resume", "stop"] });
    expect((await host.holdfast("why", "orders", "o-1")).out).toMatch(/shop\.post was not allowed/);
    const { out: trace } = await host.holdfast("trace", "orders", question?.subject ?? "");
    expect(trace).toContain("ctx.peek");
    expect(await deployOrders(host)).toMatchObject({ version: "1.1" });
    expect(shop.applied).toEqual([]);
    const id = question?.attentionId ?? "";
    expect(await host.holdfast("answer", "orders", id, "resume")).toMatchObject({ code: 0 });
    await soon(() => shop.applied.length === 1);
    await host.stop();
  });
});

test("[R123] deployments that come at once are judged one after the other", async () => {
  const { start } = await begin(await places.SQLite());
  const host = start();
  await host.url;
  const texts = [1, 2, 3].map((number) => `${script}\n// ${number}`);
  const told = await Promise.all(texts.map((text) => deployOrders(host, ["shop.post"], [], text)));
  expect(told.map(({ version }) => version).sort()).toEqual(["1.0", "1.1", "1.2"]);
  expect(told.every(({ accepted }) => accepted)).toBe(true);
  await host.stop();
});

test("commands deploy, publish and list through a running host", async () => {
  const folder = join(newFolder(), "data");
  const { shop, start } = await begin({ kind: "sqlite", folder });
  const host = start();
  const script = join(dirname(folder), "orders.ts");
  writeFileSync(script, "export default 1;");
  const faulty = await host.holdfast("deploy", script);
  expect(faulty.out).toMatch(/SCRIPT_INVALID: The script has \d+ errors?; nothing was deployed/);
  expect(faulty.code).toBe(3);
  await deployOrders(host);
  const words = ["publish", "orders", "order.received", "o-9", '{"sum":1}'];
  expect(await host.holdfast(...words)).toMatchObject({ code: 0 });
  await soon(() => shop.applied.length === 1);
  const listed = await host.holdfast("workflows", "--json");
  expect(JSON.parse(listed.out)).toMatchObject({ items: [{ workflow: "orders" }] });
  const refused = await host.holdfast("publish", "orders", "nowhere", "o-1", "{}", "--json");
  expect(JSON.parse(refused.out)).toMatchObject({
    error: { code: "COMMAND_REFUSED", refusal: "topic_not_declared" },
  });
  await host.stop();
});

test("a port that is taken is said in a sentence, and nothing is left behind", async () => {
  const { start } = await begin({ kind: "sqlite", folder: join(newFolder(), "data") });
  const first = start();
  const { port } = new URL(await first.url);
  const other = await begin(
    { kind: "sqlite", folder: join(newFolder(), "data") },
    { HOLDFAST_PORT: port },
  );
  const second = other.start();
  expect(await second.ended).toMatchObject({ code: 3 });
  expect(second.output.join("")).toMatch(/PORT_TAKEN: Port \d+ on 127\.0\.0\.1 is in use\./);
  await first.stop();
});

test("a host whose output nobody reads any more goes on, and stops in order", async () => {
  const { start } = await begin({ kind: "sqlite", folder: join(newFolder(), "data") });
  const host = start();
  await host.url;
  host.child.stdout?.destroy();
  host.child.kill("SIGTERM");
  expect(await host.ended).toEqual({ code: 0, signal: null });
});

test("nothing of the API is shown or done without the token", async () => {
  const { start } = await begin({ kind: "sqlite", folder: join(newFolder(), "data") });
  const host = start();
  const url = await host.url;
  for (const authorization of ["", "Bearer ", "Bearer wrong", "Basic a-token-for-tests"]) {
    const answer = await fetch(`${url}/api/v1/workflows`, { headers: { authorization } });
    expect(answer.status).toBe(401);
    expect(await answer.json()).toMatchObject({ code: "TOKEN_WRONG" });
  }
  expect((await fetch(`${url}/health`)).status).toBe(200);
  await host.stop();
});
