import { openPostgresStore } from "@holdfast/store/postgres";
import { createSchemaDatabase } from "@holdfast/store/testing/postgres";
import fc from "fast-check";
import { test } from "vitest";
import { fixed, fuzzScale, histories, playThrough } from "./testing/random-history.ts";

test(
  "the journal folds to the tables at every step of 20 histories in PostgreSQL",
  async () => {
    const property = fc.asyncProperty(histories, async (played) => {
      const { url, drop } = await createSchemaDatabase();
      const store = await openPostgresStore({ url, ...fixed });
      try {
        await playThrough(store, played);
      } finally {
        await store.close();
        await drop();
      }
    });
    await fc.assert(property, { numRuns: Math.ceil(10 * fuzzScale) });
  },
  900_000 * Math.max(1, fuzzScale),
);
