import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { InvariantError } from "@holdfast/core";
import { expect, onTestFinished, test, vi } from "vitest";
import { Connection } from "./connection.ts";
import { storeError } from "./errors.ts";
import { openSqliteStore } from "./index.ts";
import { newFolder, openStore, plainOptions } from "./testing/folder.ts";

const durable = {
  journal_mode: "wal",
  synchronous: 2,
  fullfsync: 1,
  checkpoint_fullfsync: 1,
  foreign_keys: 1,
  ignore_check_constraints: 0,
};

test("syncs every commit and holds every constraint, on the writer and on readers", async () => {
  const store = await openStore(newFolder());
  const { writer, reader } = await store.durability();
  expect(writer).toMatchObject({ ...durable, query_only: 0 });
  expect(reader).toMatchObject({ ...durable, query_only: 1 });
});

test("holds every constraint in memory too", async () => {
  const store = await openSqliteStore({ memory: true, ...plainOptions });
  const { writer } = await store.durability();
  expect(writer).toMatchObject({ ...durable, journal_mode: "memory" });
  await store.close();
});

test("a reader cannot write", async () => {
  const folder = newFolder();
  await openStore(folder);
  const reader = new Connection(join(folder, "holdfast.db"), "read");
  expect(() => reader.run("DELETE FROM journal")).toThrow(/readonly/);
  reader.close();
});

test("refuses a database that cannot keep a log, instead of running without one", () => {
  // A temporary database: SQLite answers "delete" when it is asked for a log.
  let refusal: unknown;
  try {
    new Connection("", "write");
  } catch (error) {
    refusal = storeError(error, { path: "", doing: "Opening" });
  }
  expect(refusal).toMatchObject({ code: "STORE_NOT_DURABLE" });
});

test("a setting that syncs nothing is no matter of the disk when it does not hold", () => {
  const { exec } = DatabaseSync.prototype;
  const deaf = vi.spyOn(DatabaseSync.prototype, "exec").mockImplementation(function (
    this: DatabaseSync,
    sql,
  ) {
    if (!sql.startsWith("PRAGMA cache_size")) exec.call(this, sql);
  });
  onTestFinished(() => deaf.mockRestore());
  let refusal: unknown;
  try {
    new Connection(join(newFolder(), "holdfast.db"), "write");
  } catch (error) {
    refusal = storeError(error, { path: "", doing: "Opening" });
  }
  expect(refusal).toBeInstanceOf(InvariantError);
  expect(String(refusal)).toContain("PRAGMA cache_size is");
});
