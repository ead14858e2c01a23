import type { Bench } from "./bench.ts";
import { type BenchFolder, makeBenchFolder } from "./bench-folder.ts";
import { missedMusts } from "./judge.ts";
import { describeMachine, machineText } from "./machine.ts";
import { reportLine, reportTable } from "./report.ts";

const usage = "npm run bench -- <name> [--postgres] [--quick] [--json] [--check]";

/** 0 = measured, and with --check every must was kept. */
export const exitCodes = { measured: 0, missed: 1, notRun: 2 } as const;

export type CommandLine = {
  readonly args: readonly string[];
  readonly benches: readonly Bench[];
  /** Where the bench's folder is made. */
  readonly root: string;
  /** Stdout, whole lines. */
  readonly print: (text: string) => void;
  /** Stderr: progress and what went wrong. */
  readonly tell: (text: string) => void;
};

export async function runCommandLine(line: CommandLine): Promise<number> {
  const { benches, print, tell } = line;
  try {
    const { name, flags } = readArgs(line.args);
    if (name === null) {
      print([usage, "", ...benches.map((each) => `  ${each.name}  ${each.describe}`)].join("\n"));
      return exitCodes.measured;
    }
    const bench = benches.find((each) => each.name === name);
    if (bench === undefined) {
      const known = benches.map((each) => each.name).join(", ");
      throw new Error(`there is no bench "${name}"; there are: ${known}`);
    }
    if (flags.postgres && bench.canPostgres !== true) {
      throw new Error(`"${name}" has nothing to measure with --postgres`);
    }
    return await runBench(bench, flags, line);
  } catch (error) {
    tell(`bench: ${error instanceof Error ? error.message : String(error)}`);
    return exitCodes.notRun;
  }
}

const flagNames = ["postgres", "quick", "json", "check"] as const;

type Flags = Readonly<Record<(typeof flagNames)[number], boolean>>;

function readArgs(args: readonly string[]): { name: string | null; flags: Flags } {
  const flags = { postgres: false, quick: false, json: false, check: false };
  const names: string[] = [];
  for (const arg of args) {
    const flag = flagNames.find((each) => arg === `--${each}`);
    if (flag !== undefined) flags[flag] = true;
    else if (arg.startsWith("-")) throw new Error(`there is no option "${arg}": ${usage}`);
    else names.push(arg);
  }
  if (names.length > 1) throw new Error(`one bench at a time: ${usage}`);
  return { name: names[0] ?? null, flags };
}

async function runBench(bench: Bench, flags: Flags, line: CommandLine): Promise<number> {
  const { print, tell } = line;
  const { postgres, quick } = flags;
  // Other figures than without it: whoever keeps reports must not mix them up.
  const name = postgres ? `${bench.name} --postgres` : bench.name;
  const folder: BenchFolder = makeBenchFolder(line.root);
  const startedAt = performance.now();
  const progress = (text: string): void => {
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    tell(`${seconds.padStart(6)} s  ${text}`);
  };
  try {
    const machine = describeMachine(folder.path);
    tell(`bench ${name}${quick ? " (quick)" : ""}: ${machineText(machine)}`);
    const results = await bench.run({ folder: folder.path, quick, postgres, progress });
    const missed = missedMusts(results);
    print(reportTable(results));
    for (const each of missed) tell(`missed: ${each}`);
    if (flags.json) print(reportLine(name, machine, results));
    return flags.check && missed.length > 0 ? exitCodes.missed : exitCodes.measured;
  } finally {
    folder.remove();
  }
}
