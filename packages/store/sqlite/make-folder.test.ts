import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { newFolder, openStore } from "./testing/folder.ts";

/** The paths behind what is synced, in order. */
function watchSyncs(): readonly string[] {
  const synced: string[] = [];
  const paths = new Map<number, string>();
  const { openSync, fsyncSync } = fs;
  vi.spyOn(fs, "openSync").mockImplementation((path, ...how) => {
    const entry = openSync(path, ...how);
    paths.set(entry, String(path));
    return entry;
  });
  vi.spyOn(fs, "fsyncSync").mockImplementation((entry) => {
    fsyncSync(entry);
    synced.push(paths.get(entry) ?? "?");
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });
  return synced;
}

test("syncs every folder that got a new one, down to the data folder's own", async () => {
  const root = newFolder();
  const synced = watchSyncs();
  const store = await openStore(join(root, "deep", "deeper", "data"));
  await store.close();
  expect(synced.slice(0, 3)).toEqual([root, join(root, "deep"), join(root, "deep", "deeper")]);
});
