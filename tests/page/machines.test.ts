import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBrowser, Person } from "./browser.ts";
import { cellPath, louder, Parcels } from "./machine-view.ts";
import { PageWorld } from "./page-world.ts";

const list = "/page/workflows/parcels/machines";
const phone = { width: 390, height: 844 };
const desk = { width: 1_200, height: 860 };

let world: PageWorld;
let browser: Browser;
let parcels: Parcels;
let anna: Person;
let ben: Person;

async function enter(name: string, role: string): Promise<Person> {
  const code = await world.loginCode(await world.makeToken(name, role));
  return Person.enter(browser, `${await world.host.url}/login#${code}`);
}

beforeAll(async () => {
  [world, browser] = await Promise.all([PageWorld.start(), openBrowser()]);
  parcels = new Parcels(world);
  anna = await enter("anna", "operator");
  ben = await enter("ben", "admin");
  await parcels.deploy();
}, 120_000);

afterAll(async () => {
  await browser.close();
  await world.stop();
});

/** At either width and in dark: axe finds nothing, and nothing is wider than the screen. */
async function looksRight(person: Person, name: string): Promise<void> {
  const { page } = person;
  await page.getByText("Asking the host").waitFor({ state: "detached" });
  for (const [way, size] of Object.entries({ phone, desk })) {
    await page.setViewportSize(size);
    for (const colorScheme of ["dark", "light"] as const) {
      await page.emulateMedia({ colorScheme });
      const width = await page.evaluate("document.documentElement.scrollWidth");
      expect([name, width, await person.violations()]).toEqual([name, size.width, []]);
    }
    await person.picture(`machines-${name}-${way}`);
  }
}

describe("machines on the page", () => {
  test("are there for workflows that have some, and only for those", async () => {
    const { page } = anna;
    await world.deploy("orders", { allow: ["shop.list"] });
    await anna.open("/page/workflows/orders");
    await page.getByRole("link", { name: "Items" }).waitFor();
    await page.getByText("Version 1.0").waitFor();
    expect(await page.getByRole("link", { name: "Machines" }).count()).toBe(0);
    await anna.open("/page/workflows/parcels");
    await page.getByRole("link", { name: "Machines" }).click();
    await page.getByRole("cell", { name: "parcel", exact: true }).waitFor();
    await page.getByText("There is none like that.").waitFor();
  });

  test("[R59] [M.K7.6-1] what comes in is counted live, found, and opened by keys", async () => {
    const { page } = anna;
    await parcels.pack("p-1", "Alice", 3);
    await parcels.pack("p-2", "nobody");
    for (const id of ["p-3", "p-30", "p-31"]) await parcels.pack(id, "slow");
    const row = page.getByRole("row").filter({ hasText: "parcel" });
    await expect
      .poll(() => row.getByRole("cell").allTextContents(), { timeout: 60_000 })
      .toEqual(["parcel", "5", "1", "4", "1"]);
    await page.getByRole("link", { name: "Machines 1 stopped" }).waitFor();
    await looksRight(anna, "list");
    await row.getByRole("link", { name: "1", exact: true }).click();
    await page.locator("[data-row=cell]").filter({ hasText: "stopped: needs a fix" }).waitFor();
    expect(await page.locator("[data-row=cell]").count()).toBe(1);
    await page.getByLabel("State").selectOption("waiting");
    await page.getByLabel("Find in this list").fill("P-3");
    await expect.poll(() => page.locator("[data-row=cell]").count()).toBe(3);
    expect(page.url()).toContain("status=waiting");
    expect(page.url()).toContain("find=P-3");
    await page.getByLabel("Find in this list").fill("p-30");
    await expect.poll(() => page.locator("[data-row=cell]").count()).toBe(1);
    await page.getByLabel("State").focus();
    await page.getByLabel("State").blur();
    await page.keyboard.press("k");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "parcel p-30" }).waitFor();
    await page.getByText("It sleeps until it is woken.").waitFor();
  });

  test("[M.K7.8-5] one that stopped says why, and goes on as each button says", async () => {
    const { page } = anna;
    await anna.open(cellPath("p-2"));
    // In the verdict, and in its story.
    await expect.poll(() => page.getByText("Error: there is no customer for p-2.").count()).toBe(2);
    await page.getByText("What it stopped at").waitFor();
    await page.locator(".mail").getByText("nobody").waitFor();
    await page.getByRole("button", { name: "Let it go on with it …" }).click();
    await page.getByText("If it makes a mistake again, it stops again").waitFor();
    await looksRight(anna, "stopped");
    await page.getByRole("button", { name: "Let it go on with it", exact: true }).click();
    await page.getByText("anna let it go on with what it had stopped at").waitFor();
    await expect.poll(() => page.getByText("its script made a mistake:").count()).toBe(2);
    await page.getByRole("button", { name: "Let it go on without it …" }).click();
    await page.getByText("What it stopped at is left out for good").waitFor();
    await page.getByRole("button", { name: "Let it go on without it", exact: true }).click();
    await page.getByText("anna let it go on without what it had stopped at").waitFor();
    await page.getByText("keeps track of nothing by this name").waitFor();
    expect(await page.locator(".deed").count()).toBe(0);
  });

  test("[R59] [M.K7.8-3] what it waits for leads to the question, and is told live", async () => {
    const { page } = anna;
    await anna.open(cellPath("p-1"));
    await page.getByText("It asked for something that a person has to agree to.").waitFor();
    await page.locator(".tree").getByText("Alice").first().waitFor();
    await looksRight(anna, "waiting");
    await ben.open(cellPath("p-1"));
    await ben.page.getByRole("link", { name: "Answer the question" }).click();
    await ben.page.getByRole("button", { name: "Send it as shown" }).click();
    await page.getByText("It is done: nothing is left to do.").waitFor();
    await page.getByText("answered: it is done").waitFor();
    await page.getByText("told others: parcel.booked").waitFor();
    expect(world.market.timesOf("Alice")).toBe(1);
    await page.getByRole("link", { name: "as it was then" }).first().click();
    await page.getByText("This is how it was after record").waitFor();
    await page.locator(".tree").getByText("booking").waitFor();
    expect(page.url()).toContain("at=");
    await looksRight(anna, "then");
    await page.getByRole("link", { name: "Show how it is now" }).click();
    await page.locator(".tree").getByText("booked", { exact: true }).waitFor();
  });

  test("what it knows is folded where it is long, and drawn by parts", async () => {
    const { page } = anna;
    await parcels.pack("p-60", "slow", 450);
    await parcels.soon("p-60", "waiting");
    await anna.open(cellPath("p-60"));
    await page.getByText("450 entries").click();
    await page.getByText("bolt-199", { exact: true }).waitFor();
    expect(await page.getByText("bolt-200", { exact: true }).count()).toBe(0);
    await page.getByRole("button", { name: "Show 200 of 250 more" }).click();
    await page.getByRole("button", { name: "Show 50 of 50 more" }).click();
    await page.getByText("bolt-449", { exact: true }).waitFor();
  });

  test("[M.E-13] what it asked for is taken back", async () => {
    const { page } = anna;
    await anna.open(cellPath("p-31"));
    await page.getByRole("button", { name: "Take it back …" }).click();
    await page.getByText("Its script is told that this was taken back.").waitFor();
    await page.getByRole("button", { name: "Take it back", exact: true }).click();
    await page.getByText("anna asked to take back what it had asked for").waitFor();
    await page.getByText("given up", { exact: true }).waitFor();
  });

  test("who may only look sees no button that would be refused", async () => {
    await parcels.pack("p-9", "nobody");
    await parcels.soon("p-9", "failed");
    const vera = await enter("vera", "viewer");
    for (const id of ["p-9", "p-3"]) {
      await vera.open(cellPath(id));
      await vera.page.getByText("What happened").waitFor();
      await vera.page.getByText("Asking the host").waitFor({ state: "detached" });
      expect(await vera.page.locator(".deed button").count()).toBe(0);
      await anna.open(cellPath(id));
      await anna.page.locator(".deed button").first().waitFor();
    }
    await vera.context.close();
  });

  test("[M.G-5] [M.A-2] a version is tried, agreed to, and applied when it can be", async () => {
    const { page } = ben;
    const before = world.market.booked.length;
    await parcels.deploy(louder, { bump: "major" });
    await ben.open(list);
    await page.locator("[data-row=proposal]", { hasText: "to be tried" }).click();
    await page.getByRole("button", { name: "Try it on a copy" }).click();
    await page.getByText("tried on a copy, nothing sent").waitFor();
    const report = page.locator(".panel", { hasText: "What came of trying it" });
    await report.getByText("by version two").first().waitFor();
    await report.getByText("Stopped by a mistake, as now:").waitFor();
    await report.getByText("What it would ask for").click();
    await report.getByText("POST /parcels at shop").first().waitFor();
    await looksRight(ben, "proposal");
    await page.getByLabel("Why (may be left out)").fill("looked at it");
    await page.getByRole("button", { name: "Agree to it …" }).click();
    await page.getByText("Nothing changes yet").waitFor();
    await page.getByRole("button", { name: "Agree to it", exact: true }).click();
    await page.getByText("ben agreed to it: looked at it").waitFor();
    const inItsWay = page.locator(".panel", { hasText: "What stands in its way" });
    await inItsWay.getByText("Asleep until a timer").waitFor();
    await inItsWay.getByRole("link", { name: "parcel p-3", exact: true }).waitFor();
    await page.getByRole("button", { name: "Apply version 2.0 now …" }).click();
    await page.getByRole("button", { name: "Apply version 2.0 now", exact: true }).click();
    await page.getByText("something stood in its way. It stays agreed to.").waitFor();
    await page.getByRole("button", { name: /^Apply it when/ }).click();
    await looksRight(ben, "apply");
    await page
      .getByRole("button", { name: /^Apply it when/ })
      .last()
      .click();
    await page.locator(".mark", { hasText: "applied as soon as it can" }).waitFor();
    await parcels.takeBack();
    await page.locator(".timeline").getByText("applied", { exact: true }).waitFor();
    expect(world.market.booked.length).toBe(before);
  });

  test("[M.K7.8-4] what came of one thing is followed over everyone it reached", async () => {
    const { page } = anna;
    await anna.open("/page/workflows/parcels/trace");
    await page.getByLabel("The newest of").selectOption("parcel.packed");
    await page.getByLabel("whose").fill("id");
    await page.getByLabel("is", { exact: true }).fill("p-1");
    await page.getByRole("button", { name: "Follow it" }).click();
    await page.getByText("parcel p-1: asked: POST /parcels at shop").waitFor();
    await page.getByText("tally: its script looked at it").waitFor();
    expect(page.url()).toContain("value=p-1");
    await looksRight(anna, "trace");
    await page.getByRole("link", { name: "tally" }).click();
    await page.getByRole("heading", { name: "tally" }).waitFor();
    await page.locator(".tree").getByText("parcels").waitFor();
    await page.getByRole("link", { name: "all that came of it" }).first().click();
    await page.getByRole("heading", { name: "What came of it" }).waitFor();
  });

  test("the search finds what machines keep track of, by its key", async () => {
    await anna.open("/page/search?q=P-30");
    await anna.page.locator("[data-row=cell]", { hasText: "parcel p-30" }).click();
    await anna.page.getByRole("heading", { name: "parcel p-30" }).waitFor();
  });

  test("[M.K7.7-4] the whole record is done again on request, and agrees", async () => {
    const { page } = anna;
    await anna.open(list);
    await page.getByText("Details: follow something, check the record").click();
    await page.getByRole("button", { name: "Do it all again and compare" }).click();
    await page.getByText("It agrees.").waitFor();
  });

  test("a hundred thousand cost as much as those on the screen", async () => {
    const { page } = ben;
    await page.route("**/machines/cells?*", (route) => {
      const from = Number(new URL(route.request().url()).searchParams.get("after") ?? 0);
      const items = Array.from({ length: 50 }, (_, at) => cellOf(from + at));
      return route.fulfill({ json: { items, next: `${from + 50}` } });
    });
    await ben.open(list);
    const goDown = () =>
      page.evaluate<number>(
        "scrollTo(0, document.documentElement.scrollHeight); document.documentElement.scrollHeight",
      );
    await expect.poll(goDown, { timeout: 60_000 }).toBeGreaterThan(300 * 40);
    expect(await page.locator("[data-row=cell]").count()).toBeLessThan(80);
    await page.unrouteAll({ behavior: "wait" });
    expect([...anna.troubles, ...ben.troubles]).toEqual([]);
  });
});

function cellOf(number: number): object {
  const keyText = JSON.stringify(`p-${number}`);
  return {
    cell: `parcels/parcel@1::${number}`,
    machine: "parcels/parcel@1",
    key: `p-${number}`,
    keyText,
    status: "completed",
    stateBytes: 10,
    waiting: 0,
    openIntents: [],
    lastEvent: number,
    version: "",
  };
}
