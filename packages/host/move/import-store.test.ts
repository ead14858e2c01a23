import { copyFileSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openArrivingSqlite, openDepartingSqlite, openSqliteStore } from "@holdfast/store/sqlite";
import { expect, test } from "vitest";
import { writeSampleHistory } from "../testing/sample-history.ts";
import { exportStore } from "./export-store.ts";
import { importStore } from "./import-store.ts";

const newFolder = () => mkdtempSync(join(tmpdir(), "holdfast-import-"));

function at(folder: string) {
  return { folder, clock: () => 1_000_000, newIncarnation: () => folder };
}

/** An export of a store with that workflow. */
async function exported(workflow: string): Promise<string> {
  const [folder, path] = [newFolder(), join(newFolder(), "store.export")];
  const store = await openSqliteStore(at(folder));
  await writeSampleHistory(store, workflow);
  await store.close();
  const source = await openDepartingSqlite(at(folder));
  await exportStore(source, { path, by: "ann", at: 1 });
  await source.close();
  return path;
}

test("a file that is another one when it is read again is not imported", async () => {
  const [path, other] = [await exported("orders"), await exported("returns")];
  const folder = newFolder();
  const open = async () => {
    copyFileSync(other, path);
    return openArrivingSqlite(at(folder));
  };
  const refused = importStore({ path, by: "bob", at: 2, open });
  await expect(refused).rejects.toThrow("it was changed while it was read");
  await expect(openSqliteStore(at(folder))).rejects.toMatchObject({ code: "STORE_UNFINISHED" });
});

test("[R160] what was imported is a restored store: another name, higher epochs", async () => {
  const path = await exported("orders");
  const folder = newFolder();
  const done = await importStore({
    path,
    by: "bob",
    at: 2,
    open: () => openArrivingSqlite(at(folder)),
  });
  const store = await openSqliteStore(at(folder));
  expect(store).toMatchObject({
    storeIncarnation: done.storeIncarnation,
    restoredFrom: done.restoredFrom,
    arrival: { exportedBy: "ann", importedBy: "bob", withState: true, hash: done.hash },
  });
  expect(done.restoredFrom).not.toBe(done.storeIncarnation);
  expect((await store.load("orders", [])).epoch).toBe(1);
  await store.openHost({ incarnation: "host-1", leaseMs: 1_000 });
  const { claims } = await store.claim("host-1", 10);
  expect(claims).toEqual([{ workflow: "orders", epoch: 2, unclean: true }]);
  await store.close();
});
