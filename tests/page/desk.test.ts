import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBrowser, Person } from "./browser.ts";
import { PageWorld } from "./page-world.ts";

const allowed = { allow: ["shop.list", "shop.post"] };
const phone = { width: 390, height: 844 };
const desk = { width: 1_200, height: 860 };

let world: PageWorld;
let browser: Browser;
let anna: Person;
let ben: Person;

async function enter(name: string, role: string): Promise<Person> {
  const code = await world.loginCode(await world.makeToken(name, role));
  return Person.enter(browser, `${await world.host.url}/login#${code}`);
}

beforeAll(async () => {
  [world, browser] = await Promise.all([PageWorld.start(), openBrowser()]);
  anna = await enter("anna", "operator");
  ben = await enter("ben", "admin");
}, 120_000);

afterAll(async () => {
  await browser.close();
  await world.stop();
});

/** A picture at either width, where axe finds nothing and nothing is wider than the screen. */
async function pictured(person: Person, name: string): Promise<void> {
  for (const [way, size] of Object.entries({ desk, phone })) {
    await person.page.setViewportSize(size);
    expect(await person.violations()).toEqual([]);
    const width = await person.page.evaluate<number>("document.documentElement.scrollWidth");
    expect(width).toBeLessThanOrEqual(size.width);
    await person.picture(`${way}-${name}`);
  }
  await person.page.setViewportSize(desk);
}

const orders = (workflow: string, from: number, count: number) =>
  Array.from({ length: count }, (_, index) => {
    return { id: `${workflow}-${from + index}`, customer: workflow, cents: 100 };
  });

describe("the page", () => {
  test("[R70, R150] a brake says what it holds and who set it, and an admin lets go", async () => {
    await world.deploy("held", allowed);
    const brake = { operation: "shop.post", reason: "the shop moves house" };
    const command = { kind: "set_brake", body: brake };
    await world.host.api("POST", "/workflows/held/commands", command);
    const [payload] = orders("held", 1, 1);
    const title = "Order held-1 of held";
    const event = { topic: "order.received", messageId: "held-1", title, payload };
    await world.publish("held", event);
    await anna.page.locator(".needs-panel").getByText("Held by a brake").click();
    await anna.page.getByRole("heading", { name: "A brake holds this call" }).waitFor();
    await anna.page.getByText("the brake on shop.post, set by").waitFor();
    await anna.page.getByText("the shop moves house").waitFor();
    await anna.page.getByText("An admin can take the brake off.").waitFor();
    const card = new URL(anna.page.url()).pathname;
    expect(await anna.page.locator("[data-choice]").allTextContents()).toEqual([
      "Give it up and pause the workflow",
    ]);
    await ben.open(card);
    await ben.page.getByRole("button", { name: "Take the brake off …" }).click();
    await ben.page.getByText("1 call it holds goes out").waitFor();
    await pictured(ben, "held-by-a-brake");
    await ben.page.getByRole("button", { name: "Take the brake off", exact: true }).click();
    // The other browser sees it by itself.
    await anna.page.getByText("took the brake off").waitFor();
    await expect.poll(() => world.market.timesOf("held"), { timeout: 60_000 }).toBe(1);
    expect([...anna.troubles, ...ben.troubles]).toEqual([]);
  });

  test("[R59] what is done is counted beyond what fits into a list, and by itself", async () => {
    await world.deploy("many", allowed);
    await world.bring("many", ...orders("many", 1, 57));
    await anna.open("/");
    const row = anna.page.getByRole("row").filter({ hasText: "many" });
    await row.getByRole("img", { name: "57 done in the last 24 hours" }).waitFor();
    expect(await row.getByRole("cell", { name: "57", exact: true }).count()).toBe(1);
    await world.bring("many", ...orders("many", 58, 1));
    await row.getByRole("img", { name: "58 done in the last 24 hours" }).waitFor();
    // What has just happened is not still to come.
    expect(await row.getByRole("cell").nth(4).textContent()).not.toContain("in ");
    await pictured(anna, "home");
  });

  test("[R59] activity is one list, newest first, as long as it is", async () => {
    await anna.open("/page/activity");
    const row = (text: string) => anna.page.locator("[data-row]").filter({ hasText: text });
    await row("POST").first().waitFor();
    const last = row("Order held-1 of held");
    await expect
      .poll(async () => {
        await anna.page.mouse.wheel(0, 4_000);
        return last.count();
      })
      .toBe(1);
    await anna.page.evaluate("window.scrollTo(0, 0)");
    await pictured(anna, "activity");
    await anna.page.getByLabel("Workflow").selectOption("held");
    await expect.poll(() => anna.page.locator("[data-row]").count()).toBe(2);
    expect(anna.page.url()).toContain("workflow=held");
  });

  test("[R85, R94] a standing rule is made on a phone as at a desk", async () => {
    // Found by its first look, which comes by itself.
    world.market.orders.set("bills", orders("bills", 1, 1));
    await world.deploy("bills", { allow: ["shop.list"], ask: ["shop.post"] });
    await ben.open("/");
    await ben.page.getByText("Your approval").first().click();
    await ben.page.getByText("http:write, medium risk").waitFor();
    await ben.page.getByText("Not be asked about calls like this").click();
    await ben.page.getByLabel("ref", { exact: true }).selectOption("any");
    await ben.page.getByRole("button", { name: "Show me the rule" }).click();
    await ben.page.getByRole("button", { name: "Make this rule" }).waitFor();
    await ben.page.locator(".rule").scrollIntoViewIfNeeded();
    await pictured(ben, "rule");
    await ben.open("/page/workflows/held/rules");
    await ben.page.getByText("not limited: path, query, content").first().waitFor();
    await pictured(ben, "grants");
    expect([...anna.troubles, ...ben.troubles]).toEqual([]);
  });
});
