import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { HostError } from "@holdfast/core";
import { expect, test } from "vitest";
import { Owner } from "../testing/change-builder.ts";
import { Connection } from "./connection.ts";
import { openSqliteStore } from "./index.ts";
import { migrate } from "./migrate.ts";
import { killChild, startChild } from "./testing/child.ts";
import { newFolder, openStore, plainOptions } from "./testing/folder.ts";

const database = (folder: string): string => join(folder, "holdfast.db");
const log = (folder: string): string => `${database(folder)}-wal`;
const note = (folder: string): string => join(folder, "lock.json");

async function refusalOf(folder: string): Promise<HostError> {
  const outcome = await openStore(folder).catch((error: unknown) => error);
  if (!(outcome instanceof HostError)) throw new Error(`expected a refusal, got ${outcome}`);
  return outcome;
}

/** Its owner was killed as soon as it had made the store. */
async function killedYoung(): Promise<string> {
  const folder = newFolder();
  const child = startChild("hold", folder);
  await child.hear();
  await killChild(child);
  return folder;
}

async function closedStore(storeIncarnation: string): Promise<string> {
  const folder = newFolder();
  const newIncarnation = () => storeIncarnation;
  await (await openSqliteStore({ ...plainOptions, folder, newIncarnation })).close();
  return folder;
}

test("refuses a store whose log was deleted after its owner was killed", async () => {
  const folder = await killedYoung();
  rmSync(log(folder));
  for (let attempt = 0; attempt < 2; attempt++) {
    const refusal = await refusalOf(folder);
    expect(refusal).toMatchObject({ code: "STORE_GONE", retry: "safe" });
    expect(refusal.message).toMatch(/holdfast\.db-wal is not there/);
    expect(refusal.remedy).toContain("remove lock.json");
  }
});

test("a process that ends without closing its store leaves nothing to be missed", async () => {
  const folder = newFolder();
  const script = `
    import { openSqliteStore } from ${JSON.stringify(new URL("./index.ts", import.meta.url).href)};
    const folder = ${JSON.stringify(folder)};
    const store = await openSqliteStore({ folder, clock: () => 0, newIncarnation: () => "ended" });
    await store.createWorkflow("orders");`;
  const args = ["--input-type=module", "--eval", script];
  expect(spawnSync(process.execPath, args).status).toBe(0);
  const store = await openStore(folder);
  expect(await store.listWorkflows(null, 10)).toHaveLength(1);
});

test("a new store is in its database: without log and note it is still the same", async () => {
  const folder = await killedYoung();
  rmSync(log(folder));
  rmSync(note(folder));
  const store = await openStore(folder);
  expect(store.storeIncarnation).toBe("store-child");
});

test("a new store that another program reads is not opened before it is in its file", async () => {
  const folder = newFolder();
  const maker = new Connection(database(folder), "write");
  migrate(maker, { newIncarnation: () => "store-1", lastIncarnation: null });
  const browser = new DatabaseSync(database(folder));
  browser.exec("BEGIN; SELECT * FROM store_meta");
  maker.run("INSERT INTO hosts VALUES ('host-1', 1, 1)");
  expect(await refusalOf(folder)).toMatchObject({ code: "STORE_LOCKED", retry: "safe" });
  browser.close();
  expect((await openStore(folder)).storeIncarnation).toBe("store-1");
  maker.close();
});

test("misses no log when the store was closed or refused in order", async () => {
  const folder = await killedYoung();
  const spoiler = new DatabaseSync(database(folder));
  spoiler.exec("CREATE INDEX mine ON events (title)");
  // Still open here, so that a refused opening is not the last to close, and the log stays.
  for (let attempt = 0; attempt < 2; attempt++) {
    expect((await refusalOf(folder)).code).toBe("STORE_SCHEMA_DIFFERS");
  }
  spoiler.exec("DROP INDEX mine");
  spoiler.close();
  expect(existsSync(log(folder))).toBe(false);
  const store = await openStore(folder);
  await store.close();
  expect(existsSync(log(folder))).toBe(false);
  await openStore(folder);
});

test("refuses another store in place of the one that lived here until lock.json goes", async () => {
  const folder = await closedStore("store-1");
  cpSync(database(await closedStore("store-2")), database(folder));
  const before = readFileSync(database(folder));
  const refusal = await refusalOf(folder);
  expect(refusal.code).toBe("STORE_GONE");
  expect(refusal.message).toMatch(/another store \(store-2\), but lock\.json says that store-1/);
  expect(readFileSync(database(folder))).toEqual(before);
  expect((await refusalOf(folder)).code).toBe("STORE_GONE");
  rmSync(note(folder));
  expect((await openStore(folder)).storeIncarnation).toBe("store-2");
});

test("refuses a sound but empty database where a store lived until lock.json goes", async () => {
  const folder = await closedStore("store-old");
  rmSync(database(folder));
  const empty = new DatabaseSync(database(folder));
  empty.exec("PRAGMA journal_mode = WAL; CREATE TABLE t (c); DROP TABLE t");
  empty.close();
  for (let attempt = 0; attempt < 2; attempt++) {
    const refusal = await refusalOf(folder);
    expect(refusal.code).toBe("STORE_GONE");
    expect(refusal.message).toMatch(/holds no store, but lock\.json says that store-old/);
  }
  rmSync(note(folder));
  expect((await openStore(folder)).storeIncarnation).toBe("store-1");
});

test("refuses a note it cannot understand, and leaves it", async () => {
  const folder = await closedStore("store-1");
  for (const text of [
    "",
    "{}",
    "null",
    `{"pid":1,"since":"x","storeIncarnation":7,"open":false}`,
  ]) {
    writeFileSync(note(folder), text);
    expect((await refusalOf(folder)).code).toBe("STORE_GONE");
    expect(readFileSync(note(folder), "utf8")).toBe(text);
  }
});

test("a note that cannot be rewritten to its end stays as it was", async () => {
  // Longer than the one KiB that the child may write to a file, so that it stops in the midst.
  const name = "store-".padEnd(2000, "x");
  const folder = await closedStore(name);
  const before = readFileSync(note(folder), "utf8");
  const child = startChild("open", folder, { fileKibMax: 1 });
  const refused = { code: "STORE_IO", message: expect.stringContaining("EFBIG") };
  expect(await child.hear()).toMatchObject(refused);
  expect(readFileSync(note(folder), "utf8")).toBe(before);
  expect((await openStore(folder)).storeIncarnation).toBe(name);
});

test("says that the disk is full when there is no room for a note", async () => {
  const folder = await closedStore("store-1");
  const before = readFileSync(note(folder), "utf8");
  // Every write to it ends as on a full disk.
  symlinkSync("/dev/full", `${note(folder)}.new`);
  expect(await refusalOf(folder)).toMatchObject({ code: "STORE_FULL", retry: "safe" });
  expect(readFileSync(note(folder), "utf8")).toBe(before);
});

test("writes nothing more once lock.db was deleted and another process is in", async () => {
  const folder = newFolder();
  const store = await openStore(folder);
  const owner = await Owner.create(store);
  await owner.persist();
  rmSync(join(folder, "lock.db"));
  const child = startChild("hold", folder);
  const { pid } = child.process;
  expect(await child.hear()).toEqual({ pid });

  const gone = { code: "STORE_GONE", message: expect.stringMatching(/lock\.db was replaced/) };
  await expect(owner.commit()).rejects.toMatchObject(gone);
  await expect(store.createWorkflow("other")).rejects.toMatchObject(gone);
  await store.close();
  // The note is the new owner's now.
  expect(JSON.parse(readFileSync(note(folder), "utf8"))).toMatchObject({ pid, open: true });
  await killChild(child);
  const next = await openStore(folder);
  expect((await next.listWorkflows(null, 9)).map(({ workflow }) => workflow)).toEqual(["orders"]);
  expect((await next.load("orders", [])).head.seq).toBe(1);
});

test("writes nothing more once lock.db was deleted, before anybody else comes", async () => {
  const folder = newFolder();
  const owner = await Owner.create(await openStore(folder));
  rmSync(join(folder, "lock.db"));
  await expect(owner.commit()).rejects.toMatchObject({
    code: "STORE_GONE",
    remedy: expect.stringContaining("stop every Holdfast on this folder"),
  });
});
