import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Bench, BenchContext, Measured } from "./bench.ts";
import { runCommandLine } from "./command-line.ts";

let root: string;

// Beside the code and not in the system's folder, which may be memory.
beforeEach(() => {
  root = mkdtempSync(join(import.meta.dirname, "..", "..", ".holdfast-bench-test-"));
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

const kept: Measured = {
  metric: "commits",
  value: 1_234.567,
  unit: "changes/s",
  reference: 2_000,
  ratio: 0.617_283_5,
  must: { atLeast: 0.4 },
  against: "disk",
  spread: [1_000, 1_500],
};
const information: Measured = { metric: "encode", value: 0.001_234_56, unit: "µs" };
const missed: Measured = { ...kept, metric: "group commits", ratio: 2.9, must: { atLeast: 3 } };

function bench(results: readonly Measured[], look: (context: BenchContext) => void = () => {}) {
  const made: Bench = {
    name: "planted",
    describe: "answers what it was told",
    run: async (context) => {
      look(context);
      return results;
    },
  };
  return made;
}

async function run(args: readonly string[], given: Bench = bench([kept, information])) {
  const [out, err]: [string[], string[]] = [[], []];
  const exitCode = await runCommandLine({
    args,
    benches: [given],
    root,
    print: (text) => out.push(...text.split("\n")),
    tell: (text) => err.push(text),
  });
  return { exitCode, out, err: err.join("\n") };
}

test("the last line of --json is the report and nothing else", async () => {
  const { exitCode, out } = await run(["planted", "--json"]);
  expect(exitCode).toBe(0);
  const report: unknown = JSON.parse(out.at(-1) ?? "");
  expect(report).toEqual({
    bench: "planted",
    machine: {
      cpu: expect.any(String),
      cores: expect.any(Number),
      memoryBytes: expect.any(Number),
      node: process.version,
      platform: expect.any(String),
      syncsPerSecond: expect.any(Number),
    },
    results: [
      {
        metric: "commits",
        value: 1_235,
        unit: "changes/s",
        reference: 2_000,
        ratio: 0.6173,
        must: { atLeast: 0.4 },
      },
      { metric: "encode", value: 0.001_235, unit: "µs" },
    ],
  });
});

test("shows people a table, with and without --json", async () => {
  for (const args of [["planted"], ["planted", "--json"]]) {
    const { out } = await run(args);
    expect(out[0]).toMatch(/^metric +value +unit/);
    expect(out[1]).toMatch(/commits .*1,235 .*changes\/s .*1,000 to 1,500 .*0\.62 .*at least 0\.4/);
    expect(out).toHaveLength(args.length + 2);
  }
});

test("--check fails and names exactly the metrics that miss their must", async () => {
  const { exitCode, err } = await run(["planted", "--check"], bench([kept, missed, information]));
  expect(exitCode).toBe(1);
  expect(err).toContain("missed: group commits: ratio 2.90, must be at least 3");
  expect(err).not.toContain("missed: commits");
});

test("--check passes when every must is kept", async () => {
  expect((await run(["planted", "--check"])).exitCode).toBe(0);
});

test("a missed must is told but is no failure without --check", async () => {
  const { exitCode, err } = await run(["planted"], bench([missed]));
  expect(exitCode).toBe(0);
  expect(err).toContain("missed: group commits");
});

test("lists the benches when none is named", async () => {
  const { exitCode, out } = await run([]);
  expect(exitCode).toBe(0);
  expect(out.join("\n")).toMatch(/planted {2}answers what it was told/);
});

test.each([
  [["sandbox"], /no bench "sandbox"; there are: planted/],
  [["planted", "--fast"], /--fast/],
  [["planted", "--postgres"], /nothing to measure with --postgres/],
  [["planted", "--json=yes"], /--json/],
  [["planted", "planted"], /one bench at a time/],
])("refuses %j with exit code 2", async (args, said) => {
  const { exitCode, out, err } = await run(args);
  expect(exitCode).toBe(2);
  expect(err).toMatch(said);
  expect(out).toEqual([]);
});

test("--postgres reaches a bench that can, and the report says so", async () => {
  const seen: boolean[] = [];
  const able = {
    ...bench([kept], ({ postgres }) => seen.push(postgres)),
    canPostgres: true,
  } as const;
  const { exitCode, out } = await run(["planted", "--postgres", "--json"], able);
  expect(exitCode).toBe(0);
  expect(JSON.parse(out.at(-1) ?? "")).toMatchObject({ bench: "planted --postgres" });
  await run(["planted"], able);
  expect(seen).toEqual([true, false]);
});

test("gives the bench an empty folder on a disk and removes it afterwards", async () => {
  let folder = "";
  const look = (context: BenchContext): void => {
    folder = context.folder;
    expect(readdirSync(folder)).toEqual([]);
    expect(context.quick).toBe(true);
    writeFileSync(join(folder, "left-behind"), "");
  };
  await run(["planted", "--quick"], bench([kept], look));
  expect(folder).not.toBe("");
  expect(existsSync(folder)).toBe(false);
  expect(readdirSync(root)).toEqual([]);
});

test("a bench that breaks is no measurement, and leaves nothing behind", async () => {
  const broken = bench([kept], () => {
    throw new Error("the disk is full");
  });
  const { exitCode, out, err } = await run(["planted", "--json", "--check"], broken);
  expect(exitCode).toBe(2);
  expect(err).toContain("the disk is full");
  expect(out).toEqual([]);
  expect(readdirSync(root)).toEqual([]);
});
