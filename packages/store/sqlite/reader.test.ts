import { InvariantError, insertRow } from "@holdfast/core";
import { expect, test } from "vitest";
import { Owner } from "../testing/change-builder.ts";
import { topicRow } from "../testing/row-builder.ts";
import { rowsOf } from "../testing/table-reader.ts";
import { ThreadReader } from "./reader.ts";
import { newFolder, openStore } from "./testing/folder.ts";

/** More than one batch, so that a scan is still open after its first rows. */
const topicCount = 1000;

async function storeWithTopics() {
  const store = await openStore(newFolder());
  const owner = await Owner.create(store);
  const names = Array.from({ length: topicCount }, (_, index) => String(index).padStart(4, "0"));
  await owner.persist(...names.map((name) => insertRow("topics", topicRow(name))));
  return { store, owner };
}

async function readUntil(iterator: AsyncIterator<unknown>, count: number): Promise<number> {
  let seen = 0;
  while (seen < count && !(await iterator.next()).done) seen++;
  return seen;
}

test("several scans at once each keep the moment they began at", async () => {
  const { store, owner } = await storeWithTopics();
  const scans: AsyncIterator<unknown>[] = [];
  for (let number = 0; number < 4; number++) {
    const scan = store.scan("orders", "topics")[Symbol.asyncIterator]();
    expect(await readUntil(scan, 10)).toBe(10);
    scans.push(scan);
    await owner.persist(insertRow("topics", topicRow(`new-${number}`)));
  }
  const rest = await Promise.all(scans.map((scan) => readUntil(scan, Number.POSITIVE_INFINITY)));
  expect(rest.map((count) => count + 10)).toEqual([0, 1, 2, 3].map((more) => topicCount + more));
});

test("commits go on while a scan is held open, and none is lost", async () => {
  const { store, owner } = await storeWithTopics();
  const scan = store.scan("orders", "topics")[Symbol.asyncIterator]();
  await readUntil(scan, 1);
  for (let number = 0; number < 50; number++) {
    await owner.persist(insertRow("topics", topicRow(`new-${number}`)));
  }
  await scan.return?.();
  expect(await rowsOf(store, "orders", "topics")).toHaveLength(topicCount + 50);
});

test("a scan that is open when the store closes ends with STORE_CLOSED", async () => {
  const { store } = await storeWithTopics();
  const scan = store.scan("orders", "topics")[Symbol.asyncIterator]();
  await readUntil(scan, 1);
  await store.close();
  await expect(readUntil(scan, topicCount)).rejects.toMatchObject({ code: "STORE_CLOSED" });
});

test("reads a long journal whole, in order, on the thread", async () => {
  const { store, owner } = await storeWithTopics();
  for (let round = 0; round < 300; round++) await owner.persist();
  const entries = await store.readJournal("orders", 0, 10_000);
  expect(entries.map((entry) => entry.seq)).toEqual(entries.map((_, index) => index + 1));
  expect(entries).toHaveLength(301);
});

test("a thread that cannot open the database says why, and can be asked again", async () => {
  const reader = new ThreadReader(`${newFolder()}/nothing.db`);
  for (let attempt = 0; attempt < 2; attempt++) {
    const asked = reader.all({ sql: "SELECT 1", values: [] });
    await expect(asked).rejects.toMatchObject({ code: "STORE_GONE" });
  }
  await reader.close();
});

test("a mistake in a query fails that query alone", async () => {
  const folder = newFolder();
  await openStore(folder);
  const reader = new ThreadReader(`${folder}/holdfast.db`);
  const wrong = reader.all({ sql: "SELECT nonsense FROM nowhere", values: [] });
  await expect(wrong).rejects.toBeInstanceOf(InvariantError);
  expect(await reader.all({ sql: "SELECT 1", values: [] })).toEqual([[1]]);
  await reader.close();
});
