import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Answered, bearer, knock } from "./knock.ts";
import { deployIdle, OwnHost, postCode } from "./own-host.ts";

const me = "/api/v1/me";

async function open() {
  const own = new OwnHost();
  const { host, url } = await own.start();
  const admin = readFileSync(join(own.folder, "token"), "utf8").trim();
  return { own, host, url, admin };
}

async function many(count: number, ask: (number: number) => Promise<Answered>) {
  const answers: Answered[] = [];
  for (let done = 0; done < count; done += 50) {
    const batch = Array.from({ length: Math.min(50, count - done) }, (_, at) => ask(done + at));
    answers.push(...(await Promise.all(batch)));
  }
  return answers;
}

function counted(answers: readonly Answered[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { code } of answers) counts[code] = (counts[code] ?? 0) + 1;
  return counts;
}

describe("whoever tries at the door", () => {
  test("gets few tries at a login, and a right one has to wait as well", async () => {
    const { host, url, admin } = await open();
    const path = "/api/v1/login-codes";
    const made = await knock(url, { method: "POST", path, headers: bearer(admin) });
    const { code } = JSON.parse(made.text) as { code: string };
    const answers = await many(1_000, (number) => postCode(url, `wrong-${number}`));
    const counts = counted(answers);
    expect(Object.keys(counts).sort()).toEqual(["LOGIN_REFUSED", "TRIES_TOO_MANY"]);
    // One more for every three seconds that it took.
    expect(counts["LOGIN_REFUSED"]).toBeGreaterThanOrEqual(20);
    expect(counts["LOGIN_REFUSED"]).toBeLessThan(40);
    const held = answers.find((each) => each.code === "TRIES_TOO_MANY");
    expect(Number(held?.headers["retry-after"])).toBeGreaterThan(0);
    const right = await postCode(url, code);
    expect([200, 429]).toContain(right.status);
    // It was not used up while it was held up.
    const entered = async () => (await postCode(url, code)).status;
    if (right.status === 429) await expect.poll(entered, { timeout: 20_000 }).toBe(200);
    await host.stop();
  });

  test("with wrong tokens is told to wait, and whoever has a right one is not", async () => {
    const { host, url, admin } = await open();
    const right = async () => (await knock(url, { path: me, headers: bearer(admin) })).status;
    const answers = await many(1_000, async (number) => {
      const [answer, status] = await Promise.all([
        knock(url, { path: me, headers: bearer(`wrong-${number}`) }),
        number % 50 === 0 ? right() : 200,
      ]);
      expect(status).toBe(200);
      return answer;
    });
    const counts = counted(answers);
    expect(Object.keys(counts).sort()).toEqual(["TOKEN_WRONG", "TRIES_TOO_MANY"]);
    expect(counts["TOKEN_WRONG"]).toBeLessThan(40);
    // Who shows nothing guesses nothing.
    const none = await many(100, () => knock(url, { path: me }));
    expect(counted(none)).toEqual({ TOKEN_WRONG: 100 });
    await host.stop();
  });
});

describe("a refused push", () => {
  const push = (url: string, place: string, headers = {}, body = "{}") =>
    knock(url, { method: "POST", path: `/hooks/${place}`, headers, body });

  function same({ status, text, headers: { date: _, ...headers } }: Answered) {
    return { status, text, headers };
  }

  test("looks the same whether there is such a webhook or not", async () => {
    const { host, url, admin } = await open();
    await deployIdle(url, admin);
    const secret = { "x-webhook-secret": "s3cret" };
    const refused = [
      await push(url, "nowhere/shown"),
      await push(url, "idle/nowhere"),
      await push(url, "idle/nowhere", secret),
      await push(url, "idle/shown"),
      await push(url, "idle/shown", { "x-webhook-secret": "wrong" }),
      await push(url, "idle/bare"),
      await push(url, "idle/bare", secret),
      await push(url, "idle/bare", bearer("wrong")),
      await push(url, `${"w".repeat(3_000)}/shown`),
    ].map(same);
    for (const each of refused) expect(each).toEqual(refused[0]);
    expect(refused[0]).toMatchObject({
      status: 401,
      text: expect.stringContaining("DELIVERY_REFUSED"),
    });
    const large = "x".repeat(1_100_000);
    const [here, there] = [
      await push(url, "idle/shown", {}, large),
      await push(url, "nowhere/shown", {}, large),
    ].map(same);
    expect(here).toMatchObject({ status: 413 });
    expect(here).toEqual(there);
    await host.stop();
  });

  test("says why to those who have a token, and opens to an operator's only", async () => {
    const { own, host, url, admin } = await open();
    await deployIdle(url, admin);
    const viewer = bearer(await own.makeToken("vic", "viewer"));
    const operator = bearer(await own.makeToken("olga", "operator"));
    expect((await push(url, "idle/nowhere", viewer)).text).toContain(
      "idle has no webhook at nowhere",
    );
    expect((await push(url, "idle/shown", viewer)).text).toContain("x-webhook-secret is missing");
    expect((await push(url, "idle/bare", viewer)).text).toContain("a token of operator only");
    expect((await push(url, "idle/bare", operator)).status).toBe(200);
    expect((await push(url, "idle/shown", { "x-webhook-secret": "s3cret" })).status).toBe(200);
    await host.stop();
  });

  test("waits after too many, while right ones come in", async () => {
    const { host, url, admin } = await open();
    await deployIdle(url, admin);
    const answers = await many(100, (number) => push(url, `idle/none-${number}`));
    expect(counted(answers)["TRIES_TOO_MANY"]).toBeGreaterThan(50);
    const right = { "x-webhook-secret": "s3cret" };
    expect((await push(url, "idle/shown", right)).status).toBe(200);
    await host.stop();
  });
});
