/**
 * `npm run soak -- [--minutes 10] [--scale 2] [--seed N]`: runs the property tests at length,
 * round after round with fresh seeds, until the time is up; a round that has begun is finished.
 * A failure prints how to see it again.
 */
import { randomInt } from "node:crypto";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { readSourceFiles } from "./check/source-files.ts";
import { runTool } from "./check/tool-run.ts";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
// Long enough for a scaled-up property; a test that hangs must still end the round.
const testTimeoutMs = 30 * 60_000;
const vitest = ["vitest", "run", ".fuzz.test.ts", `--test-timeout=${testTimeoutMs}`] as const;

type Plan = { readonly minutes: number; readonly scale: number; readonly seed: number | null };

function readPlan(): Plan {
  const { values } = parseArgs({
    options: {
      minutes: { type: "string", default: "10" },
      scale: { type: "string", default: "2" },
      seed: { type: "string" }, // one round with exactly this seed
    },
  });
  return {
    minutes: positive("minutes", values.minutes),
    scale: positive("scale", values.scale),
    seed: values.seed === undefined ? null : positive("seed", values.seed),
  };
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new Error(`--${name} must be a number above 0, got "${text}"`);
}

async function main(plan: Plan): Promise<number> {
  if (!readSourceFiles(root).some(({ path }) => path.endsWith(".fuzz.test.ts"))) {
    console.error("there is no *.fuzz.test.ts to run, so nothing would be shown");
    return 1;
  }
  const endsAt = performance.now() + plan.minutes * 60_000;
  let roundCount = 0;
  // At least one round, however short the time.
  do {
    roundCount += 1;
    const seed = plan.seed ?? randomInt(1, 2 ** 31);
    if (!(await runRound(roundCount, seed, plan.scale))) return 1;
  } while (plan.seed === null && performance.now() < endsAt);
  console.log(`soak: all passed, rounds: ${roundCount}`);
  return 0;
}

async function runRound(round: number, seed: number, scale: number): Promise<boolean> {
  const env = { HOLDFAST_FUZZ_SEED: String(seed), HOLDFAST_FUZZ_SCALE: String(scale) };
  console.log(`soak: round ${round}  seed ${seed}  scale ${scale}  begins (it is finished)`);
  const startedAt = performance.now();
  const { exitCode, output } = await runTool(root, [...vitest], env);
  const elapsed = ((performance.now() - startedAt) / 1000).toFixed(1);
  const result = exitCode === 0 ? "passed" : "FAILED";
  console.log(`soak: round ${round}  seed ${seed}  scale ${scale}  ${elapsed} s  ${result}`);
  if (exitCode === 0) return true;
  console.log(output);
  console.log(`soak: failed with seed ${seed}; to see it again:`);
  console.log(`  npm run soak -- --seed ${seed} --scale ${scale}`);
  return false;
}

try {
  process.exitCode = await main(readPlan());
} catch (error) {
  console.error(`soak: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 2;
}
