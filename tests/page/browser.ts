import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import chromium from "@sparticuz/chromium";
import axe from "axe-core";
import {
  type Browser,
  type BrowserContext,
  type Page,
  chromium as playwright,
} from "playwright-core";

const artifacts = fileURLToPath(new URL("../../artifacts/page/", import.meta.url));

/** Not those of the package: they share cookies between people, and switch off what is tested. */
const args = ["--no-sandbox", "--use-angle=swiftshader", "--font-render-hinting=none"];

/** The browser inside the package: it needs nothing of the system. */
export async function openBrowser(): Promise<Browser> {
  mkdirSync(artifacts, { recursive: true });
  const executablePath = await chromium.executablePath();
  return playwright.launch({ executablePath, args, headless: true });
}

/** One person's browser, and whatever went wrong in it. */
export class Person {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly troubles: string[];

  private constructor(context: BrowserContext, page: Page, troubles: string[]) {
    this.context = context;
    this.page = page;
    this.troubles = troubles;
  }

  static async enter(browser: Browser, login: string): Promise<Person> {
    const context = await browser.newContext({ viewport: { width: 1_200, height: 860 } });
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    const troubles: string[] = [];
    page.on("pageerror", (error) => troubles.push(error.message));
    page.on("dialog", (dialog) => {
      troubles.push(`a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("console", (line) => {
      if (/content security policy|trusted/i.test(line.text())) troubles.push(line.text());
    });
    await page.goto(login);
    await page.getByRole("button", { name: "Log in" }).click();
    await page.getByRole("link", { name: "Holdfast" }).waitFor();
    return new Person(context, page, troubles);
  }

  /** By its path; what is on it is waited for. */
  async open(path: string): Promise<void> {
    await this.page.goto(new URL(path, this.page.url()).href);
    await this.page.locator("h1, .empty").first().waitFor();
  }

  /** Kept where whoever wants to can look at it. */
  async picture(name: string): Promise<void> {
    await this.page.screenshot({ path: join(artifacts, `${name}.png`) });
  }

  /** What axe finds that is serious or worse. */
  async violations(): Promise<readonly string[]> {
    await this.page.evaluate(axe.source);
    return this.page.evaluate(async () => {
      const there = globalThis as unknown as { readonly axe: { run: typeof axe.run } };
      const { violations } = await there.axe.run();
      return violations
        .filter(({ impact }) => impact === "serious" || impact === "critical")
        .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
    });
  }
}
