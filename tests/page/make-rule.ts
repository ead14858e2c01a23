import { expect } from "vitest";
import type { Person } from "./browser.ts";

/** On the card of a booking: others of the same customer, up to so much, are not asked about. */
export async function makeRule(person: Person, cents: number): Promise<void> {
  const { page } = person;
  await page.getByText("Not be asked about calls like this").click();
  await page.getByLabel("ref", { exact: true }).selectOption("any");
  await page.getByLabel("body.cents", { exact: true }).selectOption("up to");
  await page.getByLabel("body.cents, at most").fill(String(cents));
  await page.getByRole("button", { name: "Show me the rule" }).click();
  await page.getByRole("button", { name: "Make this rule" }).waitFor();
  const rule = await page.locator(".shown-rule").textContent();
  expect(rule).toContain("bills");
  expect(await person.violations()).toEqual([]);
  await person.picture("06-rule");
  await page.getByRole("button", { name: "Make this rule" }).click();
  await page.getByText(`From now on: ${rule}`).waitFor();
}
