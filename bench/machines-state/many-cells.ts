/** Whole hosts with sandboxed steps, each in a process of its own, on workflows with many cells. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { hostFlags } from "@holdfast/cli/host-flags";
import type { BenchContext, Measured } from "../harness/bench.ts";
import type { Found, Task } from "./cells-child.ts";

const child = fileURLToPath(new URL("./cells-child.ts", import.meta.url));
const run = promisify(execFile);

type Sizes = { readonly cells: number; readonly steps: number; readonly changed: number };
const full: Sizes = { cells: 1_000_000, steps: 5_000, changed: 1_000 };
const quick: Sizes = { cells: 20_000, steps: 1_000, changed: 200 };

const residentMiBMax = 512;
const restartSecondsMax = 3;

/** A folder with cells in it, and tasks that are done there one after the other. */
class Cells {
  readonly #folder: string;
  readonly #cells: number;

  private constructor(folder: string, cells: number) {
    this.#folder = folder;
    this.#cells = cells;
  }

  static async seed(context: BenchContext, name: string, cells: number): Promise<Cells> {
    context.progress(`${cells} cells of a whole host`);
    const made = new Cells(join(context.folder, name), cells);
    await made.do("seed", 0);
    return made;
  }

  async do(task: Task, count: number): Promise<Found> {
    const given = [child, task, this.#folder, String(this.#cells), String(count)];
    const { stdout } = await run(process.execPath, [...hostFlags, ...given]);
    return JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as Found;
  }
}

export async function measureManyCells(context: BenchContext): Promise<readonly Measured[]> {
  const { cells, steps, changed } = context.quick ? quick : full;
  const tenth = await Cells.seed(context, "tenth", cells / 10);
  context.progress("steps while a snapshot is taken");
  const delays = await tenth.do("delays", changed);
  const few = await tenth.do("collect", 0);
  const all = await Cells.seed(context, "all", cells);
  context.progress("steps of cells that are away");
  const access = await all.do("access", steps);
  context.progress("a restart");
  const { records = 0 } = await all.do("tail", steps);
  const restart = await all.do("restart", 0);
  context.progress("collecting");
  const many = await all.do("collect", 0);
  return [
    ...delayResults(delays, cells / 10),
    ...accessResults(access, cells),
    {
      metric: `restart with ${cells} cells and ${records} records after the snapshot`,
      value: restart["seconds"] ?? 0,
      unit: "s",
      reference: restartSecondsMax,
      ratio: (restart["seconds"] ?? 0) / restartSecondsMax,
      must: { atMost: 1 },
    },
    ...collectResults(few, many),
  ];
}

function delayResults(found: Found, cells: number): readonly Measured[] {
  const { longest = 0, median = 0, ratio = 0, worst = 0 } = found;
  return [
    {
      metric: `longest step while a snapshot of ${cells} cells is taken`,
      value: longest,
      unit: "ms",
      reference: median,
      ratio,
      must: { atMost: 10 },
      against: "the median step",
    },
    { metric: "the same, the worst of five snapshots", value: worst, unit: "medians" },
  ];
}

function accessResults(found: Found, cells: number): readonly Measured[] {
  const { away = 0, hot = 0, ratio = 0, residentMiB = 0 } = found;
  return [
    {
      metric: `steps of cells that are away, ${cells} on disk`,
      value: away,
      unit: "steps/s",
      reference: hot,
      ratio,
      must: { atLeast: 0.25 },
      against: "the same at hand",
    },
    {
      metric: `resident memory of a host with ${cells} cells, at most`,
      value: residentMiB,
      unit: "MiB",
      reference: residentMiBMax,
      ratio: residentMiB / residentMiBMax,
      must: { atMost: 1 },
    },
  ];
}

function collectResults(few: Found, many: Found): readonly Measured[] {
  const { partCount = 0, swept = 0, seconds = 0, residentMiB = 0 } = many;
  const reference = few["residentMiB"] ?? 0;
  return [
    {
      metric: `resident memory while ${partCount} parts are collected`,
      value: residentMiB,
      unit: "MiB",
      reference,
      ratio: residentMiB / reference,
      must: { atMost: 1.5 },
      against: `${few["partCount"]} parts`,
    },
    { metric: `collecting, ${swept} of them deleted`, value: seconds, unit: "s" },
  ];
}
