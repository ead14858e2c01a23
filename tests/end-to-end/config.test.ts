import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newFolder } from "./host-process.ts";
import { holdfast, Typed, typed } from "./typed.ts";

function folderWith(config: string): string {
  const folder = newFolder();
  const first = 'import { defineConfig } from "@holdfast/server/config";';
  writeFileSync(join(folder, "holdfast.config.ts"), `${first}\nexport default ${config};\n`);
  return folder;
}

const script = `
import { workflow } from "@holdfast/sdk";
export default workflow({
  name: "idle",
  topics: { things: { observed: true } },
  producers: { byHand: { manual: true, publishes: ["things"], handler: async () => {} } },
});`;

/** What the tests set for everybody must not decide here. */
const unset = { HOLDFAST_PORT: "" };

test("[R144] the config file says what the environment can, which wins", async () => {
  const config = `defineConfig({
    store: "./kept",
    port: 0,
    policies: { all: { reconcileDelayMs: 4321, hostPauseMsMax: 2000 } },
  } satisfies object)`;
  const folder = folderWith(config);
  writeFileSync(join(folder, "idle.ts"), script);
  const host = new Typed(holdfast, ["start"], { ...unset, HOLDFAST_PAUSE_MS: "3000" }, folder);
  await host.said(/API on http/);
  expect(host.output).not.toContain("Warning");
  const ask = (...words: readonly string[]) => typed(holdfast, words, unset, folder);
  expect(await ask("deploy", "idle.ts")).toMatchObject({ code: 0 });
  const { output } = await ask("policy", "idle", "--json");
  const { items } = JSON.parse(output) as { items: readonly { readonly name: string }[] };
  const named = (name: string) => items.find((each) => each.name === name);
  expect(named("reconcileDelayMs")).toEqual({ name: "reconcileDelayMs", value: 4321, from: "all" });
  expect(named("hostPauseMsMax")).toMatchObject({ value: 3000, from: "environment" });
  expect(existsSync(join(folder, "kept", "holdfast.db"))).toBe(true);
  expect(await host.interrupted()).toBe(0);

  const elsewhere = { ...unset, HOLDFAST_DATA: join(folder, "elsewhere") };
  const check = await typed(holdfast, ["start", "--check"], elsewhere, folder);
  expect(check).toMatchObject({ code: 0, output: expect.stringContaining("elsewhere") });
});

test("with log: json all that a host says is an object in a line, with its ids", async () => {
  const folder = folderWith('defineConfig({ port: 0, log: "json" })');
  writeFileSync(join(folder, "idle.ts"), script.replace("async () => {}", "() => { throw 1; }"));
  const host = new Typed(holdfast, ["start"], unset, folder);
  await host.said(/API on http/);
  await typed(holdfast, ["deploy", "idle.ts"], unset, folder);
  const runNow = ["workflow", "run-now", "idle"];
  expect(await typed(holdfast, runNow, unset, folder)).toMatchObject({ code: 0 });
  await host.said(/needs you/);
  expect(await host.interrupted()).toBe(0);
  const lines = host.output.trim().split("\n");
  const said = lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  const common = { at: expect.stringMatching(/Z$/), level: "info", store: expect.any(String) };
  for (const each of said) expect(each).toMatchObject({ ...common, process: host.child.pid });
  const asked = { workflow: "idle", attentionId: expect.any(String) };
  expect(said).toContainEqual(expect.objectContaining(asked));
});

const faults: readonly (readonly [config: string, says: RegExp])[] = [
  ["defineConfig({ prot: 1 })", /has the key prot, which is none; perhaps port is meant/],
  ["defineConfig({ connections: {} })", /perhaps accounts is meant/],
  ["defineConfig({ zzzzzz: 1 })", /which is none; there is: store, listen, port/],
  ['defineConfig({ port: "7433" })', /port has to be a whole number from 0 to 65535/],
  ["defineConfig({ concurrency: 0 })", /concurrency has to be a whole number from 1 to 10000/],
  ["defineConfig({ tls: { cert: 'a' } })", /tls\.key is not right/],
  [
    "defineConfig({ policies: { all: { reconcileDelay: 1 } } })",
    /key policies\.all\.reconcileDelay, which is none; perhaps reconcileDelayMs is meant/,
  ],
  ["defineConfig({ policies: { all: { reconcileDelayMs: 'x' } } })", /all\.reconcileDelayMs is/],
  ["defineConfig({ workflows: { 'a.ts': { allow: ['shop'] } } })", /has to be connection\.op/],
  ["undefined", /has no default export/],
  ["defineConfig({", /it cannot be read: /],
  ["defineConfig({ accounts: 'none.json' })", /ACCOUNTS_UNUSABLE.*none\.json/],
];

test("what is wrong in a config file is named, and nothing is started", async () => {
  const answers = await Promise.all(
    faults.map(async ([config]) => {
      const folder = folderWith(config);
      // What only reads is the quicker to refuse; what the file names is looked at by a start.
      const word = config.includes("accounts:") ? "start" : "workflows";
      const answer = await typed(holdfast, [word], { ...unset, HOLDFAST_PORT: "0" }, folder);
      return { ...answer, isMade: existsSync(join(folder, ".holdfast", "host.json")) };
    }),
  );
  for (const [index, { code, output, isMade }] of answers.entries()) {
    expect(output).toMatch(faults[index]?.[1] ?? /never/);
    expect(output).toMatch(/See docs\/errors\/(CONFIG|ACCOUNTS)_UNUSABLE\.md/);
    expect([code, isMade]).toEqual([3, false]);
  }
});

test("every command reads the config file, and says what is wrong in it", async () => {
  const folder = folderWith("defineConfig({ stroe: 'x' })");
  const { code, output } = await typed(holdfast, ["workflows", "--json"], {}, folder);
  expect(JSON.parse(output)).toMatchObject({ error: { code: "CONFIG_UNUSABLE" } });
  expect(code).toBe(3);
  const named = { HOLDFAST_CONFIG: join(folder, "other.ts") };
  const missing = await typed(holdfast, ["workflows"], named, folder);
  expect(missing).toMatchObject({ code: 3, output: expect.stringContaining("other.ts") });
});
