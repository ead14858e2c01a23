import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testStore } from "../testing/index.ts";
import { openSqliteStore } from "./index.ts";

testStore({
  name: "sqlite in memory",
  keepsData: false,
  open: async (options) => ({ store: await openSqliteStore({ memory: true, ...options }) }),
});

testStore({
  name: "sqlite file",
  keepsData: true,
  open: async (options) => {
    const folder = await mkdtemp(join(tmpdir(), "holdfast-store-"));
    const open = () => openSqliteStore({ folder, ...options });
    return {
      store: await open(),
      reopen: open,
      remove: () => rm(folder, { recursive: true, force: true }),
    };
  },
});
