import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Instant, Store } from "@holdfast/core";
import { openMemoryStore } from "@holdfast/store/memory";
import { openPostgresStore } from "@holdfast/store/postgres";
import { openSqliteStore } from "@holdfast/store/sqlite";
import { createSchemaDatabase } from "@holdfast/store/testing/postgres";
import { onTestFinished } from "vitest";

export type OpenStore = (clock: () => Instant) => Promise<Store>;

const newIncarnation = () => "store";

/** Every store there is, on a clock of the test's own; gone when the test is over. */
export const openStores: Readonly<Record<"memory" | "SQLite" | "PostgreSQL", OpenStore>> = {
  memory: async (clock) => openMemoryStore({ clock, newIncarnation }),
  SQLite: async (clock) => {
    const folder = mkdtempSync(join(tmpdir(), "holdfast-engine-"));
    const store = await openSqliteStore({ folder, clock, newIncarnation });
    onTestFinished(async () => {
      await store.close();
      rmSync(folder, { recursive: true });
    });
    return store;
  },
  PostgreSQL: async (clock) => {
    const { url, drop } = await createSchemaDatabase();
    const store = await openPostgresStore({ url, clock, newIncarnation });
    onTestFinished(async () => {
      await store.close();
      await drop();
    });
    return store;
  },
};
