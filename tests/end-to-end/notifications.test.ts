import { createHmac } from "node:crypto";
import { writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { HostProcess, newFolder } from "./host-process.ts";
import { places } from "./stores.ts";
import { deployOrders, publishOrders } from "./story.ts";

const secret = "known to both sides of it";

type Heard = { readonly body: string; readonly headers: IncomingHttpHeaders };

/** Takes what is pushed, but for the first few. */
async function receiver(refusedCount: number) {
  const heard: Heard[] = [];
  let count = 0;
  const server = createServer(async (request, response) => {
    const body = await text(request);
    count += 1;
    if (count > refusedCount) heard.push({ body, headers: request.headers });
    response.statusCode = count > refusedCount ? 204 : 503;
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { heard, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/desk` };
}

function isSigned({ body, headers }: Heard): boolean {
  const [, at = "", signature = ""] =
    /^t=(\d+),v1=([0-9a-f]+)$/.exec(String(headers["x-holdfast-signature"])) ?? [];
  return createHmac("sha256", secret).update(`${at}.${body}`).digest("hex") === signature;
}

test("[S14] who is to be asked is told, again if a push is lost or the host dies", async () => {
  const desk = await receiver(1);
  const store = await places.SQLite();
  const accountsFile = join(newFolder(), "accounts.json");
  const account = { connector: "webhook", url: desk.url, secret, allowPrivateAddresses: true };
  const shop = { connector: "http", baseUrl: "http://127.0.0.1:9", allowPrivateAddresses: true };
  writeFileSync(accountsFile, JSON.stringify({ desk: account, shop }));
  const start = () => {
    const environment = { HOLDFAST_NOTIFY: "desk", HOLDFAST_PUBLIC_URL: "https://host.example" };
    const host = new HostProcess({ store, accountsFile, environment });
    onTestFinished(() => host.kill("SIGKILL"));
    return host;
  };
  const first = start();
  await deployOrders(first, []);
  await publishOrders(first, ["o-1"]);
  await expect.poll(() => desk.heard.length, { timeout: 30_000 }).toBe(1);
  const [told] = desk.heard;
  expect(told !== undefined && isSigned(told)).toBe(true);
  const { event, data } = JSON.parse(told?.body ?? "");
  expect(event).toBe("question.opened");
  expect(data).toMatchObject({
    workflow: "orders",
    kind: "action_needed",
    answers: ["resume", "stop"],
  });
  expect(data.link).toBe(
    `https://host.example/api/v1/workflows/orders/attention/${data.attentionId}`,
  );
  expect(data.command).toBe(`holdfast question orders ${data.attentionId}`);
  first.kill("SIGKILL");
  await first.ended;
  const second = start();
  await expect.poll(() => desk.heard.length, { timeout: 30_000 }).toBe(2);
  expect(JSON.parse(desk.heard[1]?.body ?? "")).toMatchObject({
    event: "questions.open",
    data: { count: 1, isMore: false },
  });
  await second.stop();
});

test("a host is not started that could tell nobody", async () => {
  const accountsFile = join(newFolder(), "accounts.json");
  writeFileSync(accountsFile, "{}");
  const environment = { HOLDFAST_NOTIFY: "desk" };
  const host = new HostProcess({ store: await places.SQLite(), accountsFile, environment });
  onTestFinished(() => host.kill("SIGKILL"));
  await expect(host.url).rejects.toThrow("ACCOUNTS_UNUSABLE");
});
