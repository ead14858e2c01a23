import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { openSqliteStore, type SqliteStore } from "../index.ts";

/** A data folder of its own for one test, removed with everything in it afterwards. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-sqlite-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export const startOfTime = 1_767_225_600_000;

export const plainOptions = {
  clock: () => startOfTime,
  newIncarnation: () => "store-1",
} as const;

/** Closed when the test ends, if it did not close it itself. */
export async function openStore(
  folder: string,
  options: { readonly pageCountMax?: number } = {},
): Promise<SqliteStore> {
  const store = await openSqliteStore({ folder, ...plainOptions, ...options });
  onTestFinished(() => store.close().catch(() => {}));
  return store;
}
