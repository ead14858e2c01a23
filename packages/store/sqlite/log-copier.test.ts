import { once } from "node:events";
import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { Owner } from "../testing/change-builder.ts";
import { Connection } from "./connection.ts";
import { LogCopier } from "./log-copier.ts";
import { killChild, startChild } from "./testing/child.ts";
import { newFolder, openStore } from "./testing/folder.ts";
import { largePart, partBytes } from "./testing/large-part.ts";

const pageBytes = 4_096;
/** The log from which on it is copied, and that at which a commit would do it by itself. */
const [copyBytes, ownCopyBytes] = [4_000 * pageBytes, 16_000 * pageBytes];

function sizesIn(folder: string) {
  const size = (name: string) => statSync(join(folder, name)).size;
  return { database: size("holdfast.db"), log: size("holdfast.db-wal") };
}

/** Another number each time the log begins anew. */
function beginningOf(folder: string): number {
  const header = Buffer.alloc(16);
  const file = openSync(join(folder, "holdfast.db-wal"), "r");
  readSync(file, header, 0, header.length, 0);
  closeSync(file);
  return header.readUInt32BE(12);
}

test("a growing log is copied while commits go on, and begins anew before one has to", async () => {
  const folder = newFolder();
  const store = await openStore(folder);
  const owner = await Owner.create(store);
  const beginning = beginningOf(folder);
  for (let number = 0; sizesIn(folder).log < copyBytes; number++) {
    await owner.persistChange({ parts: [largePart(number)] });
  }
  // Never quite at the end of it, since there is always one more.
  while (beginningOf(folder) === beginning) await owner.persist();
  const { database, log } = sizesIn(folder);
  expect(log).toBeLessThan(ownCopyBytes);
  expect(database).toBeGreaterThan(copyBytes / 2);
  expect(await store.findDamage()).toEqual([]);
});

test("who copies the log makes no database, and writes to none", async () => {
  const folder = newFolder();
  const missing = join(folder, "missing.db");
  expect(() => new Connection(missing, "copy")).toThrow(/unable to open/);
  expect(existsSync(missing)).toBe(false);
  await openStore(folder);
  const copying = new Connection(join(folder, "holdfast.db"), "copy");
  onTestFinished(() => copying.close());
  expect(() => copying.run("DELETE FROM journal")).toThrow(/readonly/);
  expect(copying.durability()).toMatchObject({ synchronous: 2, checkpoint_fullfsync: 1 });
});

test("where it cannot be copied apart, that is said once, and a commit copies it", async () => {
  const connection = new Connection(join(newFolder(), "some.db"), "write");
  onTestFinished(() => connection.close());
  connection.db.exec("CREATE TABLE pages (page BLOB)");
  const warned = once(process, "warning");
  let askedCount = 0;
  const copyLog = async () => {
    askedCount += 1;
    throw new Error("no thread");
  };
  const copier = new LogCopier(connection, { copyLog });
  const isCopied = () => (connection.row("PRAGMA wal_checkpoint(NOOP)")?.[2] ?? 0) !== 0;
  for (let groups = 0; !isCopied(); groups++) {
    expect(groups).toBeLessThan(1_000);
    connection.run("INSERT INTO pages VALUES (zeroblob(100000))");
    copier.groupKept((cause) => expect.unreachable(String(cause)));
    await setImmediate();
  }
  const [warning] = await warned;
  expect(String(warning)).toMatch(/could not be copied into it apart: no thread/);
  expect(askedCount).toBeGreaterThan(1);
});

test("a copy that cannot be synced ends the store and leaves the log to the next", async () => {
  const folder = newFolder();
  const child = startChild("commitUntilUnsynced", folder);
  const gone = once(child.process, "exit");
  const { began, acknowledged, said } = (await child.hear()) as Unsynced;
  expect(said).toMatchObject({ code: "STORE_IO", retry: "safe" });
  expect(said.message).toContain("Syncing");
  expect(await child.hear()).toBe("closed");
  // Who closes the database copies the log once more, which then succeeds, and removes it.
  expect(await gone).toEqual([null, "SIGKILL"]);
  expect(sizesIn(folder).log).toBeGreaterThan(copyBytes);

  const store = await openStore(folder);
  expect(await store.findDamage()).toEqual([]);
  expect((await store.load("orders", [])).head.seq).toBe(acknowledged);
  const hashes = Array.from(
    { length: acknowledged - began },
    (_, at) => largePart(began + at).hash,
  );
  const kept = await store.loadParts("orders", hashes);
  expect(kept.every((bytes) => bytes?.length === partBytes)).toBe(true);
});

type Unsynced = {
  readonly began: number;
  readonly acknowledged: number;
  readonly said: { readonly code: string; readonly retry: string; readonly message: string };
};

test("nothing acknowledged is lost where the process dies while the log is copied", async () => {
  const folder = newFolder();
  for (let round = 0; round < 4; round++) {
    const child = startChild("commitLargeParts", folder);
    const began = (await child.hear()) as number;
    let acknowledged = began;
    const heard = (async () => {
      for (;;) {
        const said = await child.hear();
        if (said === null) return;
        acknowledged = said as number;
      }
    })();
    const before = sizesIn(folder).database;
    // Only a copy makes the database grow.
    while (sizesIn(folder).database === before) await setImmediate();
    await killChild(child);
    await heard;
    expect(acknowledged).toBeGreaterThan(began);

    const store = await openStore(folder);
    expect(await store.findDamage()).toEqual([]);
    const { seq } = (await store.load("orders", [])).head;
    // The last one may have been kept without a word of it.
    expect([acknowledged, acknowledged + 1]).toContain(seq);
    const hashes = Array.from({ length: seq - began }, (_, at) => largePart(began + at).hash);
    const kept = await store.loadParts("orders", hashes);
    expect(kept.filter((bytes) => bytes?.length === partBytes)).toHaveLength(seq - began);
    await store.close();
  }
});
