import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { SlowFirst } from "./scripts/slow-first.ts";

export default defineConfig({
  test: {
    include: ["{packages,apps,examples,tests,scripts,bench,simulator}/**/*.test.ts"],
    pool: "forks",
    // One more than cores: who waits for a process or a lease leaves a core to somebody else.
    maxWorkers: availableParallelism() + 1,
    // Each core reads the sources once, as Node does in the shipped program, not once per file.
    isolate: false,
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Hundreds of child processes read the same sources.
    env: { NODE_COMPILE_CACHE: join(tmpdir(), "holdfast-compile-cache") },
    globalSetup: [
      "./tests/postgres-server.ts",
      "./tests/built-page.ts",
      "./tests/built-program.ts",
    ],
    setupFiles: ["./tests/fuzz-seed.ts", "./tests/compile-cache.ts"],
    sequence: { sequencer: SlowFirst },
    testTimeout: 120_000,
    hookTimeout: 60_000,
    // What is waited for comes; on a busy machine not within the second that is usual.
    expect: { poll: { timeout: 60_000 } },
    allowOnly: false,
    reporters: ["default", "./scripts/closing-line-reporter.ts"],
  },
});
