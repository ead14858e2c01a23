import { rmSync } from "node:fs";
import { join } from "node:path";
import { createSchemaDatabase } from "@holdfast/store/testing/postgres";
import { onTestFinished } from "vitest";
import { newFolder, type StorePlace } from "./host-process.ts";

/** A new store of each kind, as an operator would name it; gone when the test is over. */
export const places: Readonly<Record<"SQLite" | "PostgreSQL", () => Promise<StorePlace>>> = {
  SQLite: async () => {
    const folder = newFolder();
    onTestFinished(() => rmSync(folder, { recursive: true }));
    return { kind: "sqlite", folder: join(folder, "data") };
  },
  PostgreSQL: async () => {
    const { url, drop } = await createSchemaDatabase();
    onTestFinished(drop);
    return { kind: "postgres", url };
  },
};
