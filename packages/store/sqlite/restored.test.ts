import { cpSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { HostError } from "@holdfast/core";
import { expect, test } from "vitest";
import { Owner } from "../testing/change-builder.ts";
import { openSqliteStore, type SqliteStore } from "./index.ts";
import { lockFolder } from "./lock.ts";
import { newFolder, plainOptions } from "./testing/folder.ts";

const database = "holdfast.db";

function open(folder: string, more: object = {}): Promise<SqliteStore> {
  return openSqliteStore({ ...plainOptions, folder, ...more });
}

const accept = { acceptRestored: true, newIncarnation: () => "store-2" };

async function openAndClose(folder: string, more: object = {}): Promise<SqliteStore> {
  const store = await open(folder, more);
  await store.close();
  return store;
}

/** A store with one workflow that was opened more than once, closed in order. */
async function usedFolder(): Promise<string> {
  const folder = newFolder();
  const store = await open(folder);
  await (await Owner.create(store)).persist();
  await store.close();
  await openAndClose(folder);
  return folder;
}

async function refused(folder: string): Promise<string> {
  const outcome = await open(folder).catch((error: unknown) => error);
  if (!(outcome instanceof HostError)) throw new Error("expected a refusal");
  expect(outcome.code).toBe("STORE_RESTORED");
  return outcome.message;
}

/** What people do to a folder; the store that is left is the one of `usedFolder`. */
const restores: Readonly<Record<string, (folder: string) => Promise<string>>> = {
  "a folder that was copied elsewhere": async (folder) => {
    const copy = newFolder();
    cpSync(folder, copy, { recursive: true });
    return copy;
  },
  "a backup that was put back in place of the folder": async (folder) => {
    const backup = newFolder();
    cpSync(folder, backup, { recursive: true });
    await openAndClose(folder);
    renameSync(folder, `${folder}.lost`);
    cpSync(backup, folder, { recursive: true });
    rmSync(`${folder}.lost`, { recursive: true });
    return folder;
  },
  "a backup that was written over the files of the folder": async (folder) => {
    const backup = newFolder();
    cpSync(folder, backup, { recursive: true });
    await openAndClose(folder);
    cpSync(backup, folder, { recursive: true, force: true });
    return folder;
  },
  "a database that was put back alone": async (folder) => {
    const backup = join(newFolder(), database);
    cpSync(join(folder, database), backup);
    await openAndClose(folder);
    cpSync(backup, join(folder, database));
    return folder;
  },
  "a database whose note was removed": async (folder) => {
    rmSync(join(folder, "lock.json"));
    return folder;
  },
};

test.each(Object.entries(restores))("[R160] %s is refused until accepted", async (_, restore) => {
  const folder = await restore(await usedFolder());
  for (let attempt = 0; attempt < 3; attempt++) {
    expect(await refused(folder)).toMatch(/copied or put back|not the one that was last opened/);
  }
  const store = await open(folder, accept);
  expect(store).toMatchObject({ storeIncarnation: "store-2", restoredFrom: "store-1" });
  await store.close();
  expect(await openAndClose(folder)).toMatchObject({ storeIncarnation: "store-2" });
});

test("a folder that was copied before there was a store in it holds a new one", async () => {
  const folder = newFolder();
  lockFolder(folder, 0).release();
  const copy = newFolder();
  cpSync(folder, copy, { recursive: true });
  expect(await openAndClose(copy)).toMatchObject({ restoredFrom: null });
  expect(await openAndClose(copy)).toMatchObject({ restoredFrom: null });
});

test("a folder that stays where it is, or is renamed, is no restore", async () => {
  const folder = await usedFolder();
  const elsewhere = join(newFolder(), "data");
  renameSync(folder, elsewhere);
  for (let life = 0; life < 3; life++) {
    expect(await openAndClose(elsewhere, accept)).toMatchObject({ restoredFrom: null });
  }
});

test("[R160] once accepted, every workflow is claimed; its old owner is out", async () => {
  const folder = newFolder();
  const store = await open(folder);
  const owner = await Owner.create(store);
  await owner.persistChange({ dueAt: null });
  const late = owner.change();
  await store.close();
  const unnoticed = { ...accept, isUnnoticed: true };
  const accepted = await open(folder, unnoticed);
  expect(await accepted.commit([late])).toMatchObject([{ kind: "lease_lost" }]);
  await accepted.openHost({ incarnation: "host-9", leaseMs: 1_000 });
  const { claims } = await accepted.claim("host-9", 10);
  expect(claims).toMatchObject([{ workflow: "orders", unclean: true }]);
  await accepted.close();
});
