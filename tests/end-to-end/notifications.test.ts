import { createHmac, randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { MailServer } from "@holdfast/connectors/testing";
import { expect, onTestFinished, test } from "vitest";
import { HostProcess, newFolder, seal } from "./host-process.ts";
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

function mailAccount(port: number) {
  const to = ["desk@example.com"];
  const place = { host: "127.0.0.1", port, security: "none", allowPrivateAddresses: true };
  return { connector: "mail", ...place, user: "me", from: "host@example.com", to };
}

/** As it is read: soft line ends of the encoding put together. */
const unfolded = (mail: string) => mail.replaceAll("=\r\n", "").replaceAll("=3D", "=");
const idOf = (mail: string) => /^Message-ID: (.*)$/im.exec(mail)?.[1];

/** The first was lost, and came again as the same. */
async function expectMailAgain(post: MailServer, link: string): Promise<void> {
  await expect.poll(() => post.mails.length, { timeout: 30_000 }).toBe(2);
  const [lost = "", again = ""] = post.mails.map(unfolded);
  expect(idOf(again)).toBe(idOf(lost));
  expect(again).toContain(link);
  expect(post.lines).toContain(`AUTH PLAIN ${Buffer.from(`\0me\0${secret}`).toString("base64")}`);
}

function isSigned({ body, headers }: Heard): boolean {
  const [, at = "", signature = ""] =
    /^t=(\d+),v1=([0-9a-f]+)$/.exec(String(headers["x-holdfast-signature"])) ?? [];
  return createHmac("sha256", secret).update(`${at}.${body}`).digest("hex") === signature;
}

test.each(Object.entries(places))(
  "[S14] on %s who is to be asked is told, again if a push is lost or the host dies",
  async (_, newStore) => {
    const desk = await receiver(1);
    const store = await newStore();
    const accountsFile = join(newFolder(), "accounts.json");
    const account = { connector: "webhook", url: desk.url, secret, allowPrivateAddresses: true };
    const shop = { connector: "http", baseUrl: "http://127.0.0.1:9", allowPrivateAddresses: true };
    const post = await MailServer.open();
    // It has taken the first mail, and did not say so: the same one comes again.
    post.troubles.push({ at: "end", does: "drop" });
    const key = randomBytes(32).toString("base64url");
    const letters = { ...mailAccount(post.port), password: await seal(store, secret, key) };
    writeFileSync(accountsFile, JSON.stringify({ desk: account, letters, shop }));
    const start = () => {
      const environment = {
        HOLDFAST_NOTIFY: "desk, letters",
        HOLDFAST_KEY: key,
        HOLDFAST_PUBLIC_URL: "https://host.example",
      };
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
    expect(data.command).toBe(`holdfast attention show orders ${data.attentionId}`);
    await expectMailAgain(post, data.page);
    expect(data.page).toBe(`https://host.example/page/needs-you/orders/${data.attentionId}`);
    expect(JSON.stringify([post.mails, first.output])).not.toContain(secret);
    // Whoever follows the link without a name decides nothing, and is told nothing.
    expect((await fetch(data.link.replace("https://host.example", await first.url))).status).toBe(
      401,
    );
    const path = `/workflows/orders/attention/${data.attentionId}`;
    expect(await first.api("GET", path)).toMatchObject({ closedAt: null });
    first.kill("SIGKILL");
    await first.ended;
    const second = start();
    await expect.poll(() => desk.heard.length, { timeout: 30_000 }).toBe(2);
    expect(JSON.parse(desk.heard[1]?.body ?? "")).toMatchObject({
      event: "questions.open",
      data: { count: 1, isMore: false },
    });
    await expect.poll(() => post.mails.length, { timeout: 30_000 }).toBe(3);
    expect(post.mails[2]).toContain("Subject: Holdfast: 1 questions are open");
    await second.stop();
  },
);

test("a host is not started that could tell nobody", async () => {
  const accountsFile = join(newFolder(), "accounts.json");
  writeFileSync(accountsFile, "{}");
  const environment = { HOLDFAST_NOTIFY: "desk" };
  const host = new HostProcess({ store: await places.SQLite(), accountsFile, environment });
  onTestFinished(() => host.kill("SIGKILL"));
  await expect(host.url).rejects.toThrow("ACCOUNTS_UNUSABLE");
});
