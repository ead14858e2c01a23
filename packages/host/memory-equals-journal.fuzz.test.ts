import { openMemoryStore } from "@holdfast/store/memory";
import fc from "fast-check";
import { test } from "vitest";
import { fixed, fuzzScale, histories, playThrough } from "./testing/random-history.ts";

test(
  "[R137] the journal folds to the tables at each step of 1,000 histories",
  async () => {
    const property = fc.asyncProperty(histories, async (played) => {
      const store = openMemoryStore(fixed);
      await playThrough(store, played);
      await store.close();
    });
    await fc.assert(property, { numRuns: Math.ceil(250 * fuzzScale) });
  },
  900_000 * Math.max(1, fuzzScale),
);
