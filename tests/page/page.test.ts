import { statSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBrowser, Person } from "./browser.ts";
import { seesWhatChangedMeanwhile } from "./changed-meanwhile.ts";
import { firstViewBytes } from "./first-view.ts";
import { Line } from "./line.ts";
import { makeRule } from "./make-rule.ts";
import { PageWorld } from "./page-world.ts";

/** Whoever shows it as more than text is found out. */
const hostile = `Alice <img src=x onerror="alert(1)"> javascript:alert(2)`;
const asking = { allow: ["shop.list"], ask: ["shop.post"] };
const firstViewBytesMax = 204_800;

let world: PageWorld;
let browser: Browser;
let line: Line;
let anna: Person;
let ben: Person;

async function enter(token: string, url: string): Promise<Person> {
  return Person.enter(browser, `${url}/login#${await world.loginCode(token)}`);
}

beforeAll(async () => {
  [world, browser] = await Promise.all([PageWorld.start(), openBrowser()]);
  line = await Line.to(await world.host.url);
  anna = await enter(await world.makeToken("anna", "operator"), line.url);
  ben = await enter(await world.makeToken("ben", "admin"), await world.host.url);
}, 120_000);

afterAll(async () => {
  await browser.close();
  await line.stop();
  await world.stop();
});

describe("the page", () => {
  test("a first start teaches, and a deployed workflow shows up by itself", async () => {
    await anna.page.getByText("Nothing is delegated yet.").waitFor();
    await anna.picture("01-first-start");
    await world.deploy("orders", asking);
    await anna.page.getByRole("link", { name: "orders" }).waitFor();
    expect(await firstViewBytes(await world.host.url)).toBeLessThan(firstViewBytesMax);
  });

  test("of several tabs one listens, and another takes over when it is closed", async () => {
    const dora = await enter(await world.makeToken("dora", "viewer"), await world.host.url);
    const tab = await dora.context.newPage();
    const streams: string[] = [];
    tab.on("request", (request) => {
      if (request.url().includes("/api/v1/live")) streams.push(request.url());
    });
    await tab.goto(await world.host.url);
    await tab.getByRole("link", { name: "orders", exact: true }).waitFor();
    await world.deploy("told", asking);
    await tab.getByRole("link", { name: "told", exact: true }).waitFor();
    expect(streams).toEqual([]);
    await dora.page.close();
    await expect.poll(() => streams.length, { timeout: 30_000 }).toBe(1);
    await world.deploy("heard", asking);
    await tab.getByRole("link", { name: "heard", exact: true }).waitFor();
    await seesWhatChangedMeanwhile(tab, () => world.deploy("late", asking));
    await tab.getByRole("link", { name: "late", exact: true }).waitFor();
    await dora.context.close();
  });

  test("[R36] [R70] the whole story, answered by keys, and seen live by another", async () => {
    const { page } = anna;
    await ben.open("/page/needs-you");
    world.market.lost.add(hostile);
    world.market.isShowing = false;
    await world.bring("orders", { id: "4711", customer: hostile, cents: 8_400 });
    await page.locator(".question-row").waitFor();
    await expect.poll(() => page.title()).toContain("(1)");
    await expect.poll(() => page.locator("#icon").getAttribute("href")).toContain("needs-1");
    await ben.page.locator(".question-row").click();
    await ben.page.getByText("May this be sent?").waitFor();
    // Only keys from here: down to the question, to its answers, and the first of them.
    await page.keyboard.press("j");
    await page.keyboard.press("a");
    await page.getByText("May this be sent?").waitFor();
    await page.locator("[data-choice=approve]:focus").waitFor();
    expect(await page.locator(".call").textContent()).toContain("8400");
    expect(await page.locator(".script-title q").textContent()).toBe(
      `Book order 4711 for ${hostile}`,
    );
    await anna.picture("02-approval");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    const params = await page.locator("textarea:focus").inputValue();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText(params.replace("8400", "8300"));
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByText("Not as the script made it: anna changed it.").waitFor();
    await page.keyboard.press("a");
    await page.locator("[data-choice=approve]:focus").waitFor();
    await page.keyboard.press("Enter");
    await page.getByText("anna sent it as shown").waitFor();
    const sent = { customer: hostile, cents: 8_300 };
    await expect.poll(() => world.market.booked).toMatchObject([sent]);
    // Whoever had the card open sees what became of it, without asking again.
    await ben.page.getByText("anna changed it").waitFor();
    await page.locator(".others .question-row").waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("a");
    await page.getByText("We sent this and do not know whether it happened.").waitFor();
    expect(await page.locator(".known").textContent()).toContain("the service answered 500");
    await anna.picture("03-unknown");
    expect(await anna.violations()).toEqual([]);
    await ben.page.locator(".others .question-row").click();
    await ben.page.locator("[data-choice=did_not_happen]").click();
    await ben.page.locator(".more", { hasText: "it happens twice" }).waitFor();
    expect(await ben.page.getByRole("button", { name: "Send it again" }).isDisabled()).toBe(true);
    world.market.isShowing = true;
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.locator(".more textarea").waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByText("anna said that it happened").waitFor();
    await ben.page.getByText("anna said that it happened").waitFor();
    expect(world.market.timesOf(hostile)).toBe(1);
  });

  test("[R22] [R59] what came in tells what happened, and what was done how we know", async () => {
    await anna.open("/page/workflows/orders");
    await anna.page.locator(".row", { hasText: "done" }).click();
    await anna.page.getByText("said that it happened").waitFor();
    await anna.page.getByText("Order 4711 is booked").waitFor();
    await anna.page.getByText("Evidence", { exact: true }).click();
    await anna.page.getByText("the service was asked: nobody knows").waitFor();
    await anna.picture("04-what-happened");
    await anna.open("/page/workflows/orders/outputs");
    await anna.page.locator(".row", { hasText: "done, a person says" }).click();
    await anna.page.locator(".card", { hasText: "at most once, verified" }).waitFor();
    await anna.page.getByText("the service has it").waitFor();
  });

  test("[R74] of two who answer one card, the second is told who was quicker", async () => {
    await world.bring("orders", { id: "4712", customer: "Bob", cents: 124_000 });
    for (const { page } of [anna, ben]) {
      await page.getByRole("link", { name: /Needs you 1/ }).click();
      await page.locator(".question-row").click();
      await page.getByText("May this be sent?").waitFor();
    }
    // What ben sees is from before anna's answer: his browser hears nothing of it.
    await ben.page.route("**/api/v1/**/attention/*", (route) =>
      route.request().method() === "GET" ? route.abort() : route.continue(),
    );
    await anna.page.getByRole("button", { name: "Send it as shown" }).click();
    await anna.page.getByText("anna sent it as shown").waitFor();
    await ben.page.getByRole("button", { name: "Send it as shown" }).click();
    await ben.page.getByText("Somebody was quicker.").waitFor();
    await ben.page.unrouteAll({ behavior: "wait" });
    await ben.page.reload();
    await ben.page.getByText("anna sent it as shown").waitFor();
    await expect.poll(() => world.market.timesOf("Bob")).toBe(1);
  });

  test("[R92] a half-typed no outlives a cut line and a login that is over", async () => {
    const { page } = anna;
    await world.bring("orders", { id: "4713", customer: "Cleo", cents: 1 });
    await page.getByRole("link", { name: /Needs you 1/ }).click();
    await page.locator(".question-row").click();
    await page.getByRole("button", { name: "Do not send it …" }).click();
    await page.getByLabel("Why not?").fill("one cent is a mistake");
    line.cut();
    await page.getByText("The connection is lost").waitFor();
    await page.getByRole("button", { name: "Do not send it", exact: true }).click();
    await page.getByText("The host does not answer.").waitFor();
    line.mend();
    await page.getByText("The connection is lost").waitFor({ state: "detached" });
    await page.evaluate(async () => {
      await fetch("/logout", { method: "POST", headers: { "holdfast-page": "x" }, body: "{}" });
    });
    await page.getByRole("button", { name: "Do not send it", exact: true }).click();
    await page.getByText("You are not logged in.").waitFor();
    await anna.picture("05-logged-out");
    expect(await page.getByLabel("Why not?").inputValue()).toBe("one cent is a mistake");
    const again = await anna.context.newPage();
    const token = await world.makeToken("anna-again", "operator");
    await again.goto(`${line.url}/login#${await world.loginCode(token)}`);
    await again.getByRole("button", { name: "Log in" }).click();
    await page.getByText("You are not logged in.").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Do not send it", exact: true }).click();
    await page.getByText("anna-again did not agree").waitFor();
    await again.close();
    expect(world.market.timesOf("Cleo")).toBe(0);
  });

  test("calls of one form are looked at together and agreed to at once", async () => {
    for (const [index, workflow] of ["bills", "rents"].entries()) {
      await world.deploy(workflow, asking);
      await world.bring(workflow, { id: `b-${index}`, customer: workflow, cents: 100 + index });
    }
    await ben.open("/page/needs-you");
    await ben.page.getByText("2 calls of the same form").waitFor();
    await ben.page.getByRole("button", { name: "Look at all of them" }).click();
    await ben.picture("06-batch");
    await ben.page.getByRole("button", { name: "Send all 2 as shown" }).click();
    await expect
      .poll(() => [world.market.timesOf("bills"), world.market.timesOf("rents")])
      .toEqual([1, 1]);
    await ben.page.getByText("Nothing needs you.").waitFor();
    await world.bring("bills", { id: "b-7", customer: "bills", cents: 700 });
    await ben.page.locator(".question-row").click();
    await makeRule(ben, 4_000);
    await ben.page.locator("[data-choice=approve]").click();
    await world.bring("bills", { id: "b-8", customer: "bills", cents: 4_000 });
    await expect.poll(() => world.market.timesOf("bills")).toBe(3);
  });

  test("[L19] [R149] an item is found by keys, with its attempts, and done again", async () => {
    const { page } = ben;
    await world.deployItems("parcels", { allow: ["shop.post"] });
    const event = { topic: "order.received", messageId: "p-1", payload: { sum: 5 } };
    await world.publish("parcels", event);
    await ben.open("/page/workflows/parcels/items");
    await page.locator(".row", { hasText: "done" }).waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "order:p-1" }).waitFor();
    await page.getByText("version 1.0").waitFor();
    expect(await page.locator(".timeline > li").count()).toBe(3);
    await ben.picture("07-item");
    await page.getByRole("button", { name: "Do it again …" }).click();
    await page.getByText("What was done stays done: 3 calls.").waitFor();
    await page.getByRole("link", { name: "Items" }).click();
    await page.getByLabel("Choose order:p-1").check();
    await page.getByRole("button", { name: "Do 1 chosen item again …" }).click();
    await page.getByText("all its calls are made once more").waitFor();
    await page.getByRole("button", { name: "Do 1 chosen item again", exact: true }).click();
    await page.locator(".row", { hasText: "attempt 2" }).click();
    await page.getByText("Attempt 1 version 1.0 · counts no more").waitFor();
    await world.deployItems("letters", { ask: ["shop.post"] });
    await world.publish("letters", event);
    await page.getByRole("link", { name: /Needs you 1/ }).click();
    await page.locator(".question-row").click();
    await page.getByRole("link", { name: "order:p-1" }).click();
    await page.locator(".needs-panel .question-row").waitFor();
  });

  test("[R59] the journal tells what is recorded in words, narrowed by kind", async () => {
    const { page } = ben;
    await ben.open("/page/workflows/parcels/journal");
    await page.getByText("ben had the item order:p-1 done again, attempt 2").waitFor();
    await page.getByLabel("Kind").selectOption("mutation");
    await page.getByText("shop.post at").first().waitFor();
    expect(await page.getByText("done again").count()).toBe(0);
    expect(page.url()).toContain("status=mutation");
    await page.getByText("mutation_recorded").first().click();
    await page.locator(".fact-row .values").waitFor();
  });

  test("[R148] who may only look sees no button that would be refused", async () => {
    const url = await world.host.url;
    const vera = await enter(await world.makeToken("vera", "viewer"), url);
    await ben.open("/page/workflows/letters");
    const asked = await ben.page.locator(".question-row").getAttribute("href");
    const places = [pages.inputs, pages.events, pages.event, pages.item, pages.items, asked ?? ""];
    const seen = async (person: Person) => {
      const found: string[] = [];
      for (const place of places) {
        await person.open(place);
        await person.page.getByText("Asking the host").waitFor({ state: "detached" });
        await person.page.locator(".deed button:disabled").first().waitFor({ state: "detached" });
        const count = await person.page.locator(deeds).count();
        if (count > 0) found.push(place);
      }
      return found;
    };
    expect(await seen(vera)).toEqual([]);
    expect(await seen(ben)).toEqual(places);
    expect(vera.troubles).toEqual([]);
    await vera.context.close();
  });

  test("ten megabytes are shown cut, and saved whole", async () => {
    const { page } = ben;
    const event = {
      topic: "order.booked",
      messageId: "big",
      payload: { text: "x".repeat(900_000) },
    };
    await world.publish("orders", event);
    await page.route("**/api/v1/**/why**", async (route) => {
      const said = await (await route.fetch()).json();
      said.event.payload = { text: "x".repeat(10_000_000), list: Array(300_000).fill("y") };
      await route.fulfill({ json: said });
    });
    await ben.open("/page/workflows/orders/events/order.booked/big");
    await page.getByRole("button", { name: "Show more" }).first().click();
    const save = page.getByRole("button", { name: /Save all 10.000.000 characters/ });
    const [saved] = await Promise.all([page.waitForEvent("download"), save.click()]);
    expect(statSync(await saved.path()).size).toBe(10_000_000);
    expect((await page.locator("main").textContent())?.length).toBeLessThan(30_000);
    await page.unrouteAll({ behavior: "wait" });
    await page.reload();
    await page.getByText("Save all 900,000 characters as a file").waitFor();
  });

  test("[R18] [R144] every page opens, in dark and on a phone, and axe finds nothing", async () => {
    await world.bring("orders", { id: "4714", customer: "nobody", cents: 7 });
    await ben.open("/page/needs-you");
    await ben.page.locator(".question-row", { hasText: "Script error" }).waitFor();
    await ben.page.emulateMedia({ colorScheme: "dark" });
    await ben.page.setViewportSize({ width: 390, height: 844 });
    for (const [name, path] of Object.entries(pages)) {
      await ben.open(path);
      await ben.page.getByText("Asking the host").waitFor({ state: "detached" });
      const wide = await ben.page.evaluate("document.documentElement.scrollWidth");
      expect([name, wide, await ben.violations()]).toEqual([name, 390, []]);
      if (pictured.has(name)) await ben.picture(`phone-${name}`);
    }
    await ben.page.setViewportSize({ width: 1_200, height: 860 });
    await ben.page.emulateMedia({ colorScheme: "light" });
  });

  test("a hundred thousand rows cost as much as those on the screen", async () => {
    const all = 100_000;
    await ben.page.route("**/inputs?*", (route) => {
      const from = Number(new URL(route.request().url()).searchParams.get("after") ?? 0);
      const items = Array.from({ length: 50 }, (_, at) => inputOf(all - from - at));
      return route.fulfill({ json: { items, next: `${from + 50}` } });
    });
    await ben.open("/page/workflows/orders");
    const goDown = () =>
      ben.page.evaluate<number>(
        "scrollTo(0, document.documentElement.scrollHeight); document.documentElement.scrollHeight",
      );
    await expect.poll(goDown, { timeout: 20_000 }).toBeGreaterThan(600 * 40);
    expect(await ben.page.locator(".row").count()).toBeLessThan(80);
    await ben.page.unrouteAll({ behavior: "wait" });
  });

  test("nothing of a script ran, and no policy had to stop anything", async () => {
    const url = await world.host.url;
    const { headers } = await fetch(`${url}/page/needs-you`);
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toContain("unsafe");
    const html = await (await fetch(url)).text();
    const [, script = ""] = /src="(\/assets\/[^"]+\.js)"/.exec(html) ?? [];
    const asset = await fetch(url + script, { headers: { "accept-encoding": "br" } });
    expect(asset.headers.get("cache-control")).toContain("immutable");
    expect(asset.headers.get("content-encoding")).toBe("br");
    expect((await fetch(`${url}/assets/..%2Findex.html`)).status).toBe(404);
    expect([...anna.troubles, ...ben.troubles]).toEqual([]);
  });
});

/** What changes something. */
const deeds = ".deed button, [data-choice], input[type=checkbox]";

const pictured = new Set(["home", "outputs", "wiring", "event", "items", "item", "journal"]);

const pages = {
  home: "/",
  "needs-you": "/page/needs-you",
  inputs: "/page/workflows/orders",
  outputs: "/page/workflows/orders/outputs",
  rules: "/page/workflows/orders/rules",
  versions: "/page/workflows/orders/versions",
  wiring: "/page/workflows/orders/wiring",
  items: "/page/workflows/parcels/items?job=book",
  item: "/page/workflows/parcels/items/order%3Ap-1",
  journal: "/page/workflows/parcels/journal",
  events: "/page/workflows/orders/events?topic=order.received",
  event: "/page/workflows/orders/events/order.received/4711",
  runs: "/page/workflows/orders/runs?status=failed:logic",
  activity: "/page/activity",
  connections: "/page/connections",
  audit: "/page/audit?workflow=orders",
  people: "/page/people",
  policies: "/page/policies",
  search: "/page/search?q=4711",
  nowhere: "/page/nowhere",
};

function inputOf(number: number): object {
  return {
    inputId: `i${number}`,
    source: "shop",
    type: "order",
    externalId: `${number}`,
    title: `Order ${number} of somebody`,
    status: "done",
    isStale: false,
    createdAt: 1_700_000_000_000 + number,
    skippedAt: null,
    events: { pending: 0, reserved: 0, consumed: 1, skipped: 0 },
    outputsDone: 1,
  };
}
