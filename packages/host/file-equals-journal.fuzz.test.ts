import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore } from "@holdfast/store/sqlite";
import fc from "fast-check";
import { test } from "vitest";
import { fixed, fuzzScale, histories, playThrough } from "./testing/random-history.ts";

test(
  "the journal folds to the tables at every step of 60 histories in a file",
  async () => {
    const property = fc.asyncProperty(histories, async (played) => {
      const folder = await mkdtemp(join(tmpdir(), "holdfast-fuzz-"));
      const store = await openSqliteStore({ folder, ...fixed });
      try {
        await playThrough(store, played);
      } finally {
        await store.close();
        await rm(folder, { recursive: true });
      }
    });
    await fc.assert(property, { numRuns: Math.ceil(30 * fuzzScale) });
  },
  900_000 * Math.max(1, fuzzScale),
);
