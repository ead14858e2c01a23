import { once } from "node:events";
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { delimiter, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { newFolder } from "./host-process.ts";
import { postCode } from "./own-host.ts";
import { holdfast, start, Typed, typed } from "./typed.ts";

test("[R59] [R93] the first run shows what comes in, is done and is asked", async () => {
  const folder = join(newFolder(), "data");
  const first = new Typed(start, ["--data", folder]);
  const [, url = "", code = ""] = await first.said(/log in +(\S+)\/login#(\S+)/);
  expect((await postCode(url, code)).status).toBe(200);
  expect((await postCode(url, code)).status).not.toBe(200);
  await first.said(/out {2}order\.sent 1 {2}<- {2}Order 1 of Ada/);
  const [, command = ""] = await first.said(/npx holdfast (approve orders \S+ --data \S+)\n/);
  await first.said(/ASK {2}approval: books\.post .*"cents":12500.*<- {2}Order 4 of Dan/);

  const second = await typed(start, ["--data", folder]);
  expect(second).toMatchObject({ code: 2, output: expect.stringContaining("runs already") });
  const plain = await typed(holdfast, ["start", "--data", folder]);
  expect(plain).toMatchObject({ code: 3, output: expect.stringContaining("STORE_LOCKED") });

  expect(await typed(holdfast, command.split(" "))).toMatchObject({ code: 0 });
  await first.said(/out {2}order\.sent 4 {2}<- {2}Order 4 of Dan/);
  expect(await first.interrupted()).toBe(0);
  expect(first.output).toContain("Stopping");

  const again = new Typed(start, ["--data", folder]);
  const [, inputs] = await again.said(/goes on after (\d+) inputs and \d+ outputs/);
  expect(Number(inputs)).toBeGreaterThan(3);
  expect(await again.interrupted()).toBe(0);
  expect(await typed(holdfast, ["verify", "--full", "--data", folder])).toMatchObject({ code: 0 });
});

test("the first run opens the page if asked to, and tells no process the way in", async () => {
  const [folder, bin, noted] = [join(newFolder(), "data"), newFolder(), join(newFolder(), "noted")];
  for (const name of ["open", "xdg-open"]) {
    writeFileSync(
      join(bin, name),
      `#!/bin/sh\necho "$@" > ${noted}.new; mv ${noted}.new ${noted}\n`,
    );
    chmodSync(join(bin, name), 0o755);
  }
  const path = `${bin}${delimiter}${process.env["PATH"]}`;
  const first = new Typed(start, ["--open", "--data", folder], { PATH: path });
  const [, link = ""] = await first.said(/log in +(\S+\/login#\S+)/);
  await expect.poll(() => existsSync(noted)).toBe(true);
  const file = readFileSync(noted, "utf8").trim();
  expect(file).toBe(join(folder, "open.html"));
  expect(readFileSync(file, "utf8")).toContain(link);
  expect(statSync(file).mode & 0o077).toBe(0);
  expect(await first.interrupted()).toBe(0);
});

test("[R134] killed over and over the host does nothing twice and loses nothing", async () => {
  const folder = join(newFolder(), "data");
  const chaos = (...words: readonly string[]) => {
    const every = ["--chaos", "--every", "2000", "--data", folder];
    return typed(start, [...every, ...words]);
  };
  const { code, output } = await chaos("--kills", "4");
  expect(output).toMatch(/duplicates {2}0\nlost {8}0\n[\s\S]*says the same\nverify {6}clean/);
  expect(output).toMatch(/^kills {7}4$/m);
  expect(Number(/^applied +(\d+)/m.exec(output)?.[1])).toBeGreaterThan(8);
  expect(code).toBe(0);

  // A parcel that nobody sent, and a booking that was made twice.
  const bookFile = join(folder, "orders-example", "book.jsonl");
  const lines = readFileSync(bookFile, "utf8").trimEnd().split("\n");
  const kept = lines.toSpliced(
    lines.findIndex((line) => line.includes('"parcel"')),
    1,
  );
  const booking = kept.find((line) => line.includes('"booking"')) ?? "";
  writeFileSync(bookFile, `${[...kept, booking].join("\n")}\n`);
  const spoiled = await chaos("--kills", "1", "--patience", "6000");
  expect(spoiled.output).toMatch(/duplicates {2}1\nlost {8}1\n/);
  expect(spoiled.code).toBe(1);
});

test("what cannot be started is said in one sentence, with what to do", async () => {
  const folder = newFolder();
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  onTestFinished(() => void taken.close());
  const port = String((taken.address() as AddressInfo).port);
  writeFileSync(join(folder, "file"), "");
  const oldNode =
    "data:text/javascript,Object.defineProperty(process,'versions',{value:{node:'20.1.0'}})";
  const cases: readonly (readonly [words: string[], environment: object, says: RegExp])[] = [
    [["--data", join(folder, "a")], { HOLDFAST_PORT: port }, /PORT_TAKEN.*HOLDFAST_PORT/],
    [["--data", join(folder, "file", "b")], {}, /ENOTDIR.*Choose another folder with --data/],
    [["--minutes", "5"], {}, /--minutes is for --chaos/],
    [["--loss", "2"], {}, /--loss has to be a number from 0 to 0\.9, not 2/],
    [["--chao"], {}, /Unknown option '--chao'; see --help/],
    [[], { HOLDFAST_POSTGRES_URL: "postgres://x" }, /Unset it, or .*npx holdfast start/],
    [[], { NODE_OPTIONS: `--import=${oldNode}` }, /this is Node 20\.1\.0.*Run `npm ci`/],
  ];
  const answers = await Promise.all(
    cases.map(async ([words, environment]) => typed(start, words, environment)),
  );
  for (const [index, { code, output }] of answers.entries()) {
    expect(output).toMatch(cases[index]?.[2] ?? /never/);
    expect(output).not.toMatch(/\n {4}at /);
    expect(code).toBe(index === 0 ? 3 : 2);
  }
});

test("[R143] Ctrl-C ends it at any time, and leaves no host behind", async () => {
  const stopWhen = async (words: RegExp | null) => {
    const folder = join(newFolder(), "data");
    const run = new Typed(start, ["--data", folder]);
    if (words !== null) await run.said(words);
    await run.interrupted();
    const check = await typed(holdfast, ["start", "--check", "--data", folder]);
    expect(check).toMatchObject({ code: 0 });
  };
  /** Its output ends with the last process that has it: the host's. */
  const killed = async () => {
    const folder = join(newFolder(), "data");
    const run = new Typed(start, ["--data", folder]);
    await run.said(/address/);
    run.child.kill("SIGKILL");
    await run.ended;
    // It did not break: it has stopped in order.
    expect(existsSync(join(folder, "host.json"))).toBe(false);
  };
  const ways = [stopWhen(null), stopWhen(/address/), stopWhen(/in {3}Order/), killed()];
  await Promise.all(ways);
});
