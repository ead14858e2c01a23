import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newFolder } from "./host-process.ts";
import { holdfast, Typed, typed } from "./typed.ts";

test("[R8] dev deploys what is saved in the workspace that init made", async () => {
  const folder = join(newFolder(), "mine");
  const made = await typed(holdfast, ["init", folder]);
  expect(made).toMatchObject({ code: 0, output: expect.stringContaining("npx holdfast dev") });
  expect(readdirSync(folder).sort()).toEqual([
    ".gitignore",
    "README.md",
    "accounts-with-lookup.json",
    "accounts.json",
    "first.js",
    "holdfast.config.ts",
    "shop.mjs",
  ]);
  const script = join(folder, "first.js");
  const text = readFileSync(script, "utf8");
  const again = await typed(holdfast, ["init", folder]);
  expect(again).toMatchObject({ code: 2, output: expect.stringContaining("is there already") });
  expect(readFileSync(script, "utf8")).toBe(text);

  // The port of the config file may be in use on the machine of whoever tests.
  const dev = new Typed(holdfast, ["dev"], { HOLDFAST_PORT: "0" }, folder);
  await dev.said(/first\.js: first 1\.0 is active\nWatching first\.js/);
  writeFileSync(script, text.replace("Book order", "Booking of order"));
  await dev.said(/first\.js: first 1\.1 is active/);
  writeFileSync(script, text.replace("export default", "export const it ="));
  await dev.said(
    /first\.js:\d+:\d+ {2}error {2}no_default_export\n.*\n.*\n.*version before goes on/,
  );
  writeFileSync(script, text.replaceAll("order.booked", "order.done"));
  await dev.said(/first\.js: first 2\.0 is active/);
  const listed = await typed(holdfast, ["workflows", "--json"], {}, folder);
  expect(listed).toMatchObject({ code: 0, output: expect.stringContaining('"first"') });
  expect(await dev.interrupted()).toBe(0);
});

test("dev says what it lacks", async () => {
  const folder = newFolder();
  const nothing = await typed(holdfast, ["dev"], {}, folder);
  expect(nothing).toMatchObject({ code: 2, output: expect.stringContaining("holdfast init") });
  const elsewhere = { HOLDFAST_POSTGRES_URL: "postgres://x" };
  const shared = await typed(holdfast, ["dev", "a.js"], elsewhere, folder);
  expect(shared).toMatchObject({ code: 2, output: expect.stringContaining("--data") });
  writeFileSync(join(folder, "file"), "");
  const inFile = await typed(holdfast, ["init", join(folder, "file", "x")]);
  expect(inFile).toMatchObject({ code: 2, output: expect.stringMatching(/ENOTDIR.*Name another/) });
});
