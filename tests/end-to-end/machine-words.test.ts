/** What is said to who asks for what cannot be, or is not there. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { runOffline } from "./host-process.ts";
import { MachineHost } from "./machine-host.ts";
import { places } from "./stores.ts";

const open = async (policy = {}) => MachineHost.open(await places.SQLite(), policy);

/** Typed after `holdfast machine`, with the code it ends with and what is said. */
async function typed({ host }: MachineHost, words: readonly string[], code: number, says: RegExp) {
  const ended = await host.holdfast("machine", ...words);
  expect([words, ended]).toEqual([words, { code, out: expect.stringMatching(says) }]);
}

test("a restart or a cancel that can change nothing is refused, and says why", async () => {
  const world = await open();
  await world.send("waits", 1);
  await world.soon(async () => (await world.intents()).items.length === 1);
  const restart = ["restart", "orders", "order"];
  const unknown = /COMMAND_REFUSED: instance\.unknown: there is no cell orders\/order@1 "nope"\./;
  await typed(world, [...restart, "--cell", '"nope"'], 3, unknown);
  const waits = [...restart, "--cell", '"waits"'];
  await typed(
    world,
    waits,
    3,
    /instance\.not_failed: the cell orders\/order@1 "waits" is waiting;/,
  );
  await typed(world, [...waits, "--drop", "--redeliver"], 2, /name one of them/);
  const cancel = (id: string) => ["cancel", "orders", id];
  await typed(world, cancel("ab".repeat(32)), 3, /intent\.unknown: there is no intent abab/);
  await typed(world, cancel("ab"), 3, /named by 64 hexadecimal digits/);
  const [{ intentId } = { intentId: "" }] = (await world.intents()).items;
  const told = [...cancel(intentId), "--key", "the same"];
  await typed(world, told, 0, /^/);
  await world.soon(async () => (await world.phase("waits")) === "Failed");
  await typed(world, told, 0, /^/);
  await typed(world, cancel(intentId), 3, /intent\.settled: the intent \w+ has its outcome/);
});

test("a restart that was done is done when it is asked for again under its key", async () => {
  const world = await open();
  await world.send("bad", 0);
  await world.soon(async () => (await world.cells()).includes("failed"));
  const drop = ["restart", "orders", "order", "--cell", '"bad"', "--drop", "--key", "once"];
  await typed(world, drop, 0, /^/);
  await world.soon(async () => !(await world.cells()).includes("failed"));
  await typed(world, drop, 0, /^/);
});

test("what is not collected yet is counted, with how long it stays", async () => {
  const world = await open({ machinePartGraceMs: 3_600_000 });
  const { host } = world;
  for (const id of ["o-1", "o-2", "o-3"]) {
    await world.send(id, 5);
    await world.soon(async () => (await world.phase(id)) === "Booked");
  }
  const gc = ["machine", "gc", "orders"];
  const { out } = await host.holdfast(...gc);
  expect(out).toMatch(/deleted: 0\n\d+ wait out their time of grace: .* last 60 min \(machinePart/);
  expect((await host.holdfast(...gc, "--dry-run")).out).toMatch(
    / last 60 min .* stay all the same/,
  );
  const told = JSON.parse((await host.holdfast(...gc, "--json")).out) as { unreachable: number };
  expect(told).toMatchObject({ waiting: told.unreachable, graceMs: 3_600_000 });
});

test("what is not there is said in sentences, with what can be named instead", async () => {
  const world = await open();
  await world.send("o-1", 1);
  await world.soon(async () => (await world.phase("o-1")) === "Waiting");
  const state = ["state", "orders", "order"];
  const form = "The API has no such thing, or does not take the request in this form.";
  const nobody = `has no cell "zz"\\. ${form} \`holdfast machine cells orders\` lists`;
  await typed(world, [...state, "--cell", '"zz"'], 3, new RegExp(nobody));
  await typed(world, state, 3, /has no cell without a key\. .* as in --cell '"a"'\./);
  await typed(world, [...state, "--cell", "a"], 3, /The key is not JSON: a\. The API/);
  const gone = ["state", "orders", "orders/gone@1"];
  await typed(world, gone, 3, /orders\/gone@1 has no cell .* Machines are: orders\/order@1\./);
  await typed(
    world,
    ["state", "orders", "gone"],
    3,
    /There is no machine gone\. .* orders\/order@1\./,
  );
  await typed(world, ["proposal", "orders", "7"], 3, /orders has no proposal 7\. The API has no/);
  await typed(
    world,
    ["trace", "orders", "--event", "9999"],
    3,
    /has no such thing\. The API has no/,
  );
});

test("who names an unknown workflow is told a command that works beside a host", async () => {
  const world = await open();
  const advice = /WORKFLOW_UNKNOWN: .*`holdfast workflow ls` lists/;
  for (const words of [["ls"], ["cells"], ["summary"]]) {
    await typed(world, [...words, "nobody"], 3, advice);
  }
  const shown = await world.host.holdfast("workflow", "show", "nobody");
  expect(shown.out).toMatch(advice);
  expect((await world.host.holdfast("workflow", "ls")).out).toContain("orders");
});

test("an empty list says so, and that of a cell that never was is refused", async () => {
  const world = await open();
  await world.send("bad", 0);
  await world.soon(async () => (await world.cells()).includes("failed"));
  const timeline = ["timeline", "orders", "order"];
  await typed(world, [...timeline, "--cell", '"zz"'], 3, /has no cell "zz"\./);
  await typed(world, [...timeline, "--cell", '"zz"', "--before", "0"], 3, /has no cell "zz"\./);
  const bad = [...timeline, "--cell", '"bad"'];
  await typed(world, bad, 0, / event /);
  await typed(world, [...bad, "--after", "9999"], 0, /^\(none\)\n$/);
  await typed(world, ["journal", "orders", "--after", "9999"], 0, /^\(none\)\n$/);
  await typed(world, ["intents", "orders"], 0, /^\(none\)\n$/);
  const drop = ["restart", "orders", "order", "--cell", '"bad"', "--drop"];
  await typed(world, drop, 0, /^/);
  await world.soon(async () => (await world.cells()).length === 0);
  await typed(world, bad, 0, / restarted /);
});

test("a state is printed as JSON of several lines", async () => {
  const world = await open();
  await world.send("o-1", 1);
  await world.soon(async () => (await world.phase("o-1")) === "Waiting");
  const state = ["state", "orders", "order", "--cell", '"o-1"'];
  await typed(world, state, 0, /^\{\n {2}"phase": "Waiting"(,\n.*)?\n\}\n$/);
});

test("a list that is narrowed by what is none says what there is", async () => {
  const world = await open();
  const cells = ["cells", "orders"];
  const words = /there is no bogus\. .*: running, waiting, completed, failed, all\./;
  await typed(world, [...cells, "--status", "bogus"], 3, words);
  await typed(world, [...cells, "--status", "all"], 0, /^\(none\)\n$/);
  const number = /limit: a whole number is expected\. /;
  await typed(world, [...cells, "--limit", "abc"], 3, number);
  await typed(world, ["journal", "orders", "--limit", "1.5"], 3, number);
});

/** A line of the walk-through as words; only keys and events stand in quotes. */
function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare = ""]) => quoted ?? bare);
}

test("the walk-through of the docs counts as it says; without a host nothing is told", async () => {
  const world = await open();
  const docs = fileURLToPath(new URL("../../docs/machines.md", import.meta.url));
  const root = fileURLToPath(new URL("../../", import.meta.url));
  const lines = readFileSync(docs, "utf8").match(/^npx holdfast (?!start$).*$/gm) ?? [];
  expect(lines.length).toBeGreaterThan(8);
  const said: string[] = [];
  for (const line of lines) {
    const words = wordsOf(
      line.replace("npx holdfast ", "").replace("examples/", `${root}examples/`),
    );
    if (words[1] === "state") {
      const cell = words.includes("--cell") ? `&key=${encodeURIComponent('"a"')}` : "";
      const path = `/workflows/counters/machines/state?machine=${words[3]}${cell}`;
      type Counted = { readonly state: { readonly count: number } };
      const count = () => world.host.api<Counted>("GET", path).catch(() => null);
      await world.soon(async () => (await count())?.state.count === 2);
    }
    const { code, out } = await world.host.holdfast(...words);
    expect([line, code, out]).toEqual([line, 0, out]);
    said.push(out.replaceAll(/\s+/g, " "));
  }
  expect(said.filter((out) => out.includes('{ "count": 2, "sum": 5 }'))).toHaveLength(2);
  await world.host.stop();
  const alone = await runOffline(world.store, "machine", "state", "counters", "all");
  expect(alone).toEqual({ code: 3, out: expect.stringMatching(/^HOST_UNREACHABLE: /) });
});
