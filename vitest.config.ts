import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { SlowFirst } from "./scripts/slow-first.ts";

export default defineConfig({
  test: {
    include: ["{packages,apps,tests,scripts,bench,simulator}/**/*.test.ts"],
    pool: "forks",
    maxWorkers: "100%",
    // Hundreds of child processes read the same sources.
    env: { NODE_COMPILE_CACHE: join(tmpdir(), "holdfast-compile-cache") },
    globalSetup: ["./tests/postgres-server.ts"],
    setupFiles: ["./tests/fuzz-seed.ts"],
    sequence: { sequencer: SlowFirst },
    testTimeout: 120_000,
    hookTimeout: 60_000,
    allowOnly: false,
    reporters: ["default", "./scripts/closing-line-reporter.ts"],
  },
});
