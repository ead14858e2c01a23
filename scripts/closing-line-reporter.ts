import type { Reporter, TestModule } from "vitest/node";

/**
 * Prints `N passed, N failed` as the very last line, for people and machines that read only that.
 * What kept tests from running counts as failed, so that the line never looks better than the run.
 */
type Counts = { passed: number; failed: number; skipped: number };

let counts: Counts | null = null;

function countTests(modules: readonly TestModule[], unhandledErrorCount: number): Counts {
  const sum: Counts = { passed: 0, failed: unhandledErrorCount, skipped: 0 };
  for (const module of modules) {
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      // A test that never finished has not passed.
      sum[state === "pending" ? "failed" : state] += 1;
    }
    // Errors outside the tests: a module that does not load, a hook of a suite that throws.
    if (module.errors().length > 0) sum.failed += 1;
    for (const suite of module.children.allSuites()) {
      if (suite.errors().length > 0) sum.failed += 1;
    }
  }
  return sum;
}

function closingLine({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}

// Printed while the process exits, because Vitest still writes after its reporters are done.
function printAtExit(exitCode: number): void {
  const final = counts ?? { passed: 0, failed: 0, skipped: 0 };
  if (exitCode !== 0 && final.failed === 0) final.failed = 1;
  if (final.failed > 0 && exitCode === 0) process.exitCode = 1;
  process.stdout.write(`${closingLine(final)}\n`);
}

export default class ClosingLineReporter implements Reporter {
  onInit(): void {
    process.once("exit", printAtExit);
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    counts = countTests(modules, unhandledErrors.length);
  }
}
