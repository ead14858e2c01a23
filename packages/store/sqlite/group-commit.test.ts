import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { insertRow } from "@holdfast/core";
import { expect, test } from "vitest";
import { Owner } from "../testing/change-builder.ts";
import { eventRow, topicRow } from "../testing/row-builder.ts";
import { rowsOf } from "../testing/table-reader.ts";
import { startChild } from "./testing/child.ts";
import { newFolder, openStore } from "./testing/folder.ts";

test("writes of one turn share one transaction, and each has its own answer", async () => {
  const store = await openStore(newFolder());
  const owners = await Promise.all(["a", "b", "c", "d"].map((name) => Owner.create(store, name)));
  const before = store.groupCount;
  const row = insertRow("topics", topicRow("orders"));
  const answers = await Promise.all([
    ...owners.map((owner) => store.commit([owner.change({ rows: [row] })])),
    ...owners.map((owner) => store.commit([owner.change({ epoch: 9 })])),
    store.createWorkflow("e"),
  ]);
  expect(store.groupCount - before).toBe(1);
  expect(answers.slice(0, 4)).toEqual(owners.map(() => [{ kind: "committed", head: 1 }]));
  expect(answers.slice(4, 8)).toEqual(owners.map(() => [{ kind: "lease_lost" }]));
  expect(answers[8]).toEqual({ created: true });
});

test("writes of different turns have their own transactions", async () => {
  const store = await openStore(newFolder());
  const owner = await Owner.create(store);
  const before = store.groupCount;
  for (let index = 0; index < 5; index++) await owner.persist();
  expect(store.groupCount - before).toBe(5);
});

test("while many write, those of several turns share a transaction", async () => {
  const store = await openStore(newFolder());
  const owners = await Promise.all(["a", "b", "c", "d"].map((name) => Owner.create(store, name)));
  const counts: number[] = [];
  // It waits for a few commits only, which a busy machine may make too short for four turns.
  for (let round = 0; round < 20 && !counts.includes(1); round++) {
    await Promise.all(owners.map((owner) => owner.persist()));
    const before = store.groupCount;
    const writes = [];
    for (const owner of owners) {
      writes.push(owner.persist());
      // A turn of its own for each; nobody is answered before the last has come.
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(writes);
    counts.push(store.groupCount - before);
  }
  expect(Math.min(...counts)).toBe(1);
});

test("company that does not come is waited for no longer than a few commits take", async () => {
  const store = await openStore(newFolder());
  const owners = await Promise.all(["a", "b", "c", "d"].map((name) => Owner.create(store, name)));
  await Promise.all(owners.map((owner) => owner.persist()));
  const [alone] = owners;
  const before = store.groupCount;
  // Four, two, one: from the third on it waits for nobody.
  for (let index = 0; index < 5; index++) await alone?.persist();
  expect(store.groupCount - before).toBe(5);
});

test("a group has a limit: many writes are several transactions, all answered", async () => {
  const store = await openStore(newFolder());
  const names = Array.from({ length: 600 }, (_, index) => `w-${index}`);
  const before = store.groupCount;
  const created = await Promise.all(names.map((name) => store.createWorkflow(name)));
  expect(created.every((answer) => answer.created)).toBe(true);
  expect(store.groupCount - before).toBe(3);
});

test("close writes what was asked for before it", async () => {
  const folder = newFolder();
  const store = await openStore(folder);
  const asked = store.createWorkflow("orders");
  await store.close();
  expect(await asked).toEqual({ created: true });
  const again = await openStore(folder);
  expect(await again.createWorkflow("orders")).toEqual({ created: false });
});

test("a full database fails the group, keeps what was there and works on with room", async () => {
  const folder = newFolder();
  const store = await openStore(folder, { pageCountMax: 120 });
  const owner = await Owner.create(store);
  const fill = async (): Promise<void> => {
    for (let number = 1; ; number++) {
      await owner.persist(insertRow("events", eventRow(`m-${number}`, { position: number })));
    }
  };
  await expect(fill()).rejects.toMatchObject({ code: "STORE_FULL", retry: "safe" });
  const kept = (await store.load("orders", [])).head.seq;
  expect(kept).toBeGreaterThan(10);
  expect(await rowsOf(store, "orders", "events")).toHaveLength(kept);
  await store.close();
  const roomy = await openStore(folder);
  const next = await Owner.of(roomy, "orders");
  expect(next.head.seq).toBe(kept);
  await next.persist(insertRow("topics", topicRow("orders")));
});

test("an I/O error in COMMIT is unknown, and the store is dead from then on", async () => {
  const folder = newFolder();
  const child = startChild("commitUntilFailure", folder, { fileKibMax: 2048 });
  const first = await child.hear();
  expect(first).toMatchObject({ answer: "unknown" });
  const dead = { code: "STORE_IO", message: expect.stringContaining("this process must end") };
  expect(await child.hear()).toMatchObject(dead);
  expect(await child.hear()).toMatchObject(dead);
  expect(await child.hear()).toBeNull();

  // A new process finds every acknowledged commit, and the unknown one whole or not at all.
  const { committed } = first as { committed: number };
  expect(committed).toBeGreaterThan(10);
  const store = await openStore(folder);
  const events = await rowsOf(store, "orders", "events");
  expect([committed, committed + 1]).toContain(events.length);
  expect((await store.load("orders", [])).head.seq).toBe(events.length);
  expect(await store.readJournal("orders", 0, 100_000)).toHaveLength(events.length);
});

test("acknowledges nothing once its folder was deleted", async () => {
  const folder = newFolder();
  const store = await openStore(folder);
  const owner = await Owner.create(store);
  await owner.persist();
  rmSync(folder, { recursive: true });
  await expect(owner.commit()).rejects.toMatchObject({ code: "STORE_GONE" });
  await expect(owner.commit()).rejects.toMatchObject({ code: "STORE_GONE" });
  await expect(store.load("orders", [])).rejects.toMatchObject({ code: "STORE_GONE" });
});

test("acknowledges nothing once its database was moved away", async () => {
  const folder = newFolder();
  const store = await openStore(folder);
  const owner = await Owner.create(store);
  renameSync(join(folder, "holdfast.db"), join(folder, "elsewhere.db"));
  await expect(owner.commit()).rejects.toMatchObject({ code: "STORE_GONE" });
});
