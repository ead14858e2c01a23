/**
 * `npm run check [-- name …]`: everything about the sources that a machine can judge. One line per
 * check; a failure says what is wrong and how to mend it. Exits 1 if any check fails.
 */
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { type Check, listChecks, type Outcome } from "./check/check-list.ts";
import { readSourceFiles } from "./check/source-files.ts";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

async function main(names: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  const checks = listChecks(root, readSourceFiles(root));
  const unknown = names.filter((name) => !checks.some((check) => check.name === name));
  if (unknown.length > 0) {
    console.error(`no check is called ${unknown.join(", ")}: ${checks.map(nameOf).join(", ")}`);
    return 2;
  }
  const wanted = checks.filter(({ name }) => names.length === 0 || names.includes(name));
  // All are started at once: the tools are processes of their own and leave us the waiting time.
  const running = wanted.map((check) => ({ check, result: timed(check) }));
  let failedCount = 0;
  for (const { check, result } of running) {
    const { outcome, elapsedMs } = await result;
    print(check, outcome, elapsedMs);
    if (!outcome.passed) failedCount += 1;
  }
  const total = seconds(performance.now() - startedAt);
  console.log(`\n${wanted.length - failedCount} of ${wanted.length} checks passed in ${total}`);
  return failedCount === 0 ? 0 : 1;
}

function nameOf(check: Check): string {
  return check.name;
}

async function timed(check: Check): Promise<{ outcome: Outcome; elapsedMs: number }> {
  // Lets every tool start before the first of our own rules keeps this thread busy.
  await new Promise(setImmediate);
  const startedAt = performance.now();
  const outcome = await check.run().catch(brokenCheck);
  return { outcome, elapsedMs: performance.now() - startedAt };
}

/** A check that cannot finish has not passed. */
function brokenCheck(error: unknown): Outcome {
  const details = [error instanceof Error ? (error.stack ?? error.message) : String(error)];
  return { passed: false, details, notices: [] };
}

function print(check: Check, outcome: Outcome, elapsedMs: number): void {
  const mark = outcome.passed ? "ok  " : "FAIL";
  console.log(`${mark}  ${check.name.padEnd(12)} ${seconds(elapsedMs).padStart(7)}`);
  for (const notice of outcome.notices) console.log(`      note: ${notice}`);
  for (const detail of outcome.details) console.log(detail.replace(/^/gm, "      "));
}

function seconds(elapsedMs: number): string {
  return `${(elapsedMs / 1000).toFixed(1)} s`;
}

process.exitCode = await main(process.argv.slice(2));
