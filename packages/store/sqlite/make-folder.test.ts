import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { syncFolder } from "./sync-folder.ts";
import { newFolder, openStore } from "./testing/folder.ts";

vi.mock("./sync-folder.ts", { spy: true });

test("syncs every folder that got a new one, down to the data folder's own", async () => {
  const root = newFolder();
  const store = await openStore(join(root, "deep", "deeper", "data"));
  await store.close();
  const synced = vi.mocked(syncFolder).mock.calls.map(([folder]) => folder);
  expect(synced.slice(0, 3)).toEqual([root, join(root, "deep"), join(root, "deep", "deeper")]);
});
