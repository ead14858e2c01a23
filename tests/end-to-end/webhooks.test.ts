import { createHash, createHmac } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { HostProcess, newFolder } from "./host-process.ts";
import { knock } from "./knock.ts";
import { places } from "./stores.ts";

const script = (hooks: string) => `
import { workflow } from "@holdfast/sdk";
export default workflow({
  name: "pushed",
  topics: { "order.pushed": { observed: true } },
  producers: {
    ${hooks}
  },
});`;

const hook = (name: string, declared: string) => `${name}: {
  publishes: ["order.pushed"],
  webhook: ${declared},
  handler: async (ctx) => {
    for (const { id, inputId, body } of ctx.trigger.deliveries ?? []) {
      await ctx.publish("order.pushed", { messageId: id, inputId, payload: JSON.parse(body) });
    }
  },
},`;

const both =
  hook("shown", '{ path: "orders", secret: "shop" }') +
  hook("signed", '{ secret: "shop", signature: "sha256" }') +
  hook("named", '{ secret: "shop", signature: "sha256", idHeader: "X-GitHub-Delivery" }') +
  hook("token", '{ secret: "shop", secretHeader: "x-gitlab-token" }') +
  hook("bare", "true");

async function begin(newStore: (typeof places)["SQLite"], policies: object | null = null) {
  const folder = newFolder();
  const [accountsFile, secretsFile] = ["accounts.json", "secrets.json"].map((name) => {
    return join(folder, name);
  }) as [string, string];
  writeFileSync(accountsFile, "{}");
  writeFileSync(secretsFile, JSON.stringify({ shop: "s3cret" }));
  const store = await newStore();
  const environment = {
    HOLDFAST_SECRETS: secretsFile,
    HOLDFAST_LEASE_MS: "5000",
    ...(policies && { HOLDFAST_POLICY: writePolicy(folder, policies) }),
  };
  const start = () => {
    const host = new HostProcess({ store, accountsFile, environment });
    onTestFinished(() => host.kill("SIGKILL"));
    return host;
  };
  return { start };
}

function writePolicy(folder: string, all: object): string {
  const file = join(folder, "policy.json");
  writeFileSync(file, JSON.stringify({ all }));
  return file;
}

async function deploy(host: HostProcess, text: string): Promise<unknown> {
  const source = { entry: "pushed.ts", files: { "pushed.ts": text } };
  return host.api("POST", "/versions", { source, bump: "major" });
}

async function push(
  host: HostProcess,
  path: string,
  [body, headers]: readonly [body: string, headers: Readonly<Record<string, string>>],
): Promise<number> {
  const answer = await fetch(`${await host.url}/hooks/pushed/${path}`, {
    method: "POST",
    body,
    headers,
  });
  await answer.text();
  return answer.status;
}

async function published(host: HostProcess): Promise<readonly string[]> {
  const { items } = await host.api<{ items: readonly { messageId: string }[] }>(
    "GET",
    "/workflows/pushed/outputs?status=event",
  );
  return items.map(({ messageId }) => messageId).sort();
}

const nowhere = { method: "POST", path: "/hooks/pushed/nowhere" } as const;

describe.each(Object.entries(places))("a webhook of the shipped program, on %s", (_, newStore) => {
  test("[R4, R158] takes each push once, from who knows the secret, across a kill", async () => {
    const { start } = await begin(newStore);
    const first = start();
    await deploy(first, script(both));
    const secret = { "x-webhook-secret": "s3cret" };
    const url = await first.url;
    expect(await push(first, "orders", ['{"n":1}', { ...secret, "idempotency-key": "a" }])).toBe(
      200,
    );
    expect(await push(first, "orders", ['{"n":1}', { ...secret, "idempotency-key": "a" }])).toBe(
      200,
    );
    expect(await push(first, "orders", ['{"n":2}', { "x-webhook-secret": "wrong" }])).toBe(401);
    expect(await push(first, "orders", ['{"n":2}', {}])).toBe(401);
    expect(await push(first, "bare", ['{"n":2}', {}])).toBe(401);
    expect(await push(first, "nowhere", ['{"n":2}', secret])).toBe(401);
    const odd = ["w".repeat(3_000), "%E2%82", "..%2f"].map((name) => {
      return knock(url, { method: "POST", path: `/hooks/${name}/orders`, headers: secret });
    });
    const answers = await Promise.all([...odd, knock(url, { ...nowhere, headers: secret })]);
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    const broken = await knock(url, { method: "POST", path: "/hooks/%00/orders", headers: secret });
    expect(broken.status).toBe(400);
    const body = '{"n":3}';
    const signature = `sha256=${createHmac("sha256", "s3cret").update(body).digest("hex")}`;
    const signedId = `sha256:${createHash("sha256").update(body).digest("hex")}`;
    const signed = { "x-hub-signature-256": signature, "webhook-id": "b" };
    expect(await push(first, "signed", [body, signed])).toBe(200);
    expect(await push(first, "signed", ['{"n":4}', signed])).toBe(401);
    const last = await push(first, "orders", ['{"n":5}', { ...secret, "idempotency-key": "c" }]);
    expect([200, 202]).toContain(last);
    first.kill("SIGKILL");
    await first.ended;
    const second = start();
    await expect.poll(() => published(second), { timeout: 60_000 }).toEqual(["a", "c", signedId]);
    await second.stop();
  });
});

const signedBy = (body: string) => {
  return `sha256=${createHmac("sha256", "s3cret").update(body).digest("hex")}`;
};

test("[R4] pushes with one body are told apart by the header that the script names", async () => {
  const { start } = await begin(places.SQLite);
  const host = start();
  await deploy(host, script(both));
  const named = (body: string, id: string) =>
    push(host, "named", [
      body,
      { "x-hub-signature-256": signedBy(body), ...(id && { "x-github-delivery": id }) },
    ]);
  const [up, down] = ['{"is":"up"}', '{"is":"down"}'];
  expect(await named(up, "1")).toBe(200);
  expect(await named(down, "2")).toBe(200);
  expect(await named(up, "3")).toBe(200);
  expect(await named(up, "3")).toBe(200);
  expect(await named(up, "")).toBe(400);
  const token = { "x-gitlab-token": "s3cret", "idempotency-key": "t" };
  expect(await push(host, "token", [up, token])).toBe(200);
  expect(await push(host, "token", [up, { "x-webhook-secret": "s3cret" }])).toBe(401);
  await expect.poll(() => published(host), { timeout: 60_000 }).toEqual(["1", "2", "3", "t"]);
  await host.stop();
});

test("[R141] a push may have as many bytes as the policy says", async () => {
  const { start } = await begin(places.SQLite, { deliveryBytesMax: 20 });
  const host = start();
  await deploy(host, script(both));
  const secret = { "x-webhook-secret": "s3cret" };
  expect(await push(host, "orders", ['{"n":1}', secret])).toBe(200);
  expect(await push(host, "orders", [`{"n":"${"x".repeat(20)}"}`, secret])).toBe(413);
  await host.stop();
});

test("[R124] a version that leaves work behind is refused until a person lets it", async () => {
  const { start } = await begin(places.SQLite);
  const host = start();
  await deploy(host, script(both));
  const pause = { kind: "pause_workflow", body: {} };
  await host.api("POST", "/workflows/pushed/commands", pause);
  const secret = { "x-webhook-secret": "s3cret", "idempotency-key": "a" };
  expect(await push(host, "orders", ['{"n":1}', secret])).toBe(200);
  const without = script(hook("signed", '{ secret: "shop", signature: "sha256" }'));
  await expect(deploy(host, without)).rejects.toThrow(
    /would leave behind: shown with 1 deliveries waiting/,
  );
  const source = { entry: "pushed.ts", files: { "pushed.ts": without } };
  const minor = host.api("POST", "/versions", { source, leaveBehind: true });
  await expect(minor).rejects.toThrow(/is a minor one, but/);
  const left = { source, bump: "major", leaveBehind: true };
  expect(await host.api("POST", "/versions", left)).toMatchObject({
    version: "2.0",
    orphans: ["shown with 1 deliveries waiting"],
  });
  await host.stop();
});
