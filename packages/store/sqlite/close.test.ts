import { join } from "node:path";
import { expect, test } from "vitest";
import { Connection } from "./connection.ts";
import { lockFolder } from "./lock.ts";
import { migrate } from "./migrate.ts";
import { readInPlace } from "./reader.ts";
import { SqliteStore } from "./sqlite-store.ts";
import { newFolder, openStore, plainOptions } from "./testing/folder.ts";

test("gives the database and the folder back though the reader cannot be closed", async () => {
  const folder = newFolder();
  const connection = new Connection(join(folder, "holdfast.db"), "write");
  const { newIncarnation, clock } = plainOptions;
  const name = migrate(connection, { newIncarnation, lastIncarnation: null });
  const { storeIncarnation } = name;
  const lock = lockFolder(folder, clock());
  lock.noteOpen({ storeIncarnation, openedAs: "opening-1" });
  const broken = new Error("the reader thread ended");
  const reader = { ...readInPlace(connection), close: () => Promise.reject(broken) };
  const store = new SqliteStore({ ...name, connection, reader, lock, clock });
  await store.createWorkflow("orders");
  await expect(store.close()).rejects.toBe(broken);
  expect(connection.db.isOpen).toBe(false);
  const next = await openStore(folder);
  expect(await next.createWorkflow("orders")).toEqual({ created: false });
});
