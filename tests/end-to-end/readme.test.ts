import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { newFolder } from "./host-process.ts";
import { places } from "./stores.ts";
import { holdfast, Typed, typed } from "./typed.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const readme = readFileSync(join(root, "README.md"), "utf8");

/** What is to be typed, a line each, without what is said beside it. */
const blocks = [...readme.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].flatMap(([, kind, text]) => {
  return kind === "sh" ? [(text ?? "").trimEnd().split("\n").map(withoutRemark)] : [];
});
const [tryIt, shopLines, devLines, orderLines, answerLines, lookupLines, postgresLines] = blocks;

function withoutRemark(line: string): string {
  return line.replace(/\s{2,}#.*$/, "");
}

/** A terminal: `cd` leads on, and `npx holdfast` is the one of these sources. */
class Terminal {
  readonly #environment: NodeJS.ProcessEnv;
  folder: string;

  constructor(folder: string, environment: NodeJS.ProcessEnv = {}) {
    this.folder = folder;
    const bin = join(newFolder(), "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "npx"), `#!/bin/sh\nshift\nexec node "${holdfast}" "$@"\n`);
    chmodSync(join(bin, "npx"), 0o755);
    const path = [bin, dirname(process.execPath), process.env["PATH"]].join(delimiter);
    this.#environment = { PATH: path, ...environment };
  }

  /** A line that goes on until it is stopped. */
  start(line = ""): Typed {
    // An interactive shell outlives Ctrl-C, and then knows how the line ended.
    return new Typed("sh", [`trap : INT; ${line}`], this.#environment, this.folder);
  }

  async type(line = ""): Promise<string> {
    if (line.startsWith("cd ")) {
      this.folder = join(this.folder, line.slice(3));
      return "";
    }
    const { code, output } = await typed("sh", [line], this.#environment, this.folder);
    expect({ line, code, output }).toMatchObject({ code: 0 });
    return output;
  }
}

async function freePort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return String(port);
}

test("there is a test for every block that is to be typed, and no other", () => {
  expect(blocks).toHaveLength(7);
  expect(tryIt).toEqual(["npm ci && npm start", "npm start -- --chaos"]);
});

test("both commands of the README start, and end with Ctrl-C", async () => {
  const terminal = new Terminal(root, { HOLDFAST_DATA: join(newFolder(), "data") });
  // What it needs is installed: these sources run from it.
  const shown = terminal.start(tryIt?.[0]?.replace("npm ci && ", ""));
  await shown.said(/out {2}order\.sent 1/);
  // How it ended is not told by npm, which has its own code for Ctrl-C.
  await shown.interrupted();
  expect(shown.output).toContain("Stopping; `npm start` goes on from here.");
  const chaos = terminal.start(tryIt?.[1]);
  await chaos.said(/kill 1 /);
  await chaos.interrupted();
  expect(chaos.output).toMatch(/duplicates {2}0\nlost {8}0\n[\s\S]*verify {6}clean/);
});

test("[R73] the first workflow of the README works as it is typed", async () => {
  const folder = newFolder();
  const terminal = new Terminal(folder);
  const [init, toWorkspace, shopLine] = shopLines ?? [];
  await terminal.type(init);
  await terminal.type(toWorkspace);
  // Another one may be using the port on this machine.
  const port = await freePort();
  for (const name of ["accounts.json", "accounts-with-lookup.json", "shop.mjs"]) {
    const path = join(terminal.folder, name);
    writeFileSync(path, readFileSync(path, "utf8").replace("4711", port));
  }
  const shop = terminal.start(shopLine);

  expect(devLines?.[0]).toBe(toWorkspace);
  const dev = terminal.start(devLines?.[1]);
  await dev.said(/Watching first\.js/);
  expect(orderLines?.[0]).toBe(toWorkspace);
  for (const line of orderLines?.slice(1, 4) ?? []) await terminal.type(line);
  await shop.said(/booked 3/);
  const [inputs, outputs, attention, why] = orderLines?.slice(4) ?? [];
  expect(await terminal.type(inputs)).toMatch(/Order 3[\s\S]*Order 1/);
  expect(await terminal.type(outputs)).toContain("shop.post");
  await expect.poll(() => terminal.type(attention), { timeout: 20_000 }).toContain("outcome");
  expect(await terminal.type(why)).toContain("waits");

  const question = / (a\d+) /.exec(await terminal.type(attention))?.[1] ?? "";
  await terminal.type(answerLines?.[0]?.replace("<question>", question));
  const shown = () => terminal.type(attention);
  await expect.poll(shown, { timeout: 20_000 }).toContain("Nothing needs you");

  const script = join(terminal.folder, "first.js");
  const title = /let the title say `([^`]+)`/.exec(readme)?.[1] ?? "";
  const text = readFileSync(script, "utf8");
  writeFileSync(
    script,
    text.replace(/Book order \$\{event\.messageId\}/, () => title),
  );
  await dev.said(/first 1\.1 is active/);
  expect(await dev.interrupted()).toBe(0);

  const finding = terminal.start(lookupLines?.[0]);
  await finding.said(/Watching first\.js/);
  for (const order of [4, 5, 6]) {
    const line = orderLines?.[1]?.replace("o-1", `o-${order}`);
    await terminal.type(line?.replace("Order 1", `Order ${order}`));
  }
  await shop.said(/booked 6[\s\S]*asked for .*: 1 found/);
  expect(await terminal.type(attention)).toContain("Nothing needs you");
  expect(await finding.interrupted()).toBe(0);
  await shop.interrupted();
});

test("what the README says of PostgreSQL works as it is typed", async () => {
  const place = await places.PostgreSQL();
  const url = place.kind === "postgres" ? place.url : "";
  const [named, apply, startLine, verify] = postgresLines ?? [];
  expect(named).toMatch(/^export HOLDFAST_POSTGRES_URL='postgres:.*'$/);
  const terminal = new Terminal(newFolder(), { HOLDFAST_POSTGRES_URL: url });
  await terminal.type(apply);
  const host = terminal.start(startLine);
  await host.said(/API on http/);
  expect(await terminal.type(verify)).toContain("nothing differs");
  expect(await host.interrupted()).toBe(0);
});

test("every command that the README names is there", async () => {
  const { output } = await typed(holdfast, ["--help"]);
  const known = new Set([...output.matchAll(/^ {2}([a-z-]+)[ |]/gm)].map(([, name]) => name));
  const named = [...readme.matchAll(/npx holdfast ([a-z][a-z-]*)/g)].map(([, name]) => name);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const runs = [...readme.matchAll(/npm run ([a-z]+)/g)].map(([, name]) => name ?? "");
  expect(runs.filter((name) => scripts[name] === undefined)).toEqual([]);
});
