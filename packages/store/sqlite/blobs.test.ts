import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pinPayload } from "@holdfast/core";
import { expect, onTestFinished, test } from "vitest";
import { Owner } from "../testing/change-builder.ts";
import { openSqliteStore } from "./index.ts";
import { newFolder, startOfTime } from "./testing/folder.ts";

function someBlob() {
  const { blob } = pinPayload(new Uint8Array(1000).fill(5));
  if (blob === null) throw new Error("over 512 bytes is a blob");
  return blob;
}

async function openWithClock(folder: string) {
  let now = startOfTime;
  const store = await openSqliteStore({ folder, clock: () => now, newIncarnation: () => "s" });
  onTestFinished(() => store.close());
  const owner = await Owner.create(store);
  const advance = (ms: number): void => {
    now += ms;
  };
  return { store, owner, advance };
}

function bySql(folder: string, sql: string): unknown {
  const db = new DatabaseSync(join(folder, "holdfast.db"));
  const row = db.prepare(sql).get();
  db.close();
  return row;
}

test("a blob that is given again starts its grace time anew, in the same change", async () => {
  const folder = newFolder();
  const { owner, advance } = await openWithClock(folder);
  const blob = someBlob();
  const touched = () => bySql(folder, "SELECT touched_at, count(*) AS count FROM blobs");
  await owner.persistChange({ blobs: [blob] });
  expect(touched()).toEqual({ touched_at: startOfTime, count: 1 });
  advance(50);
  expect((await owner.commit({ blobs: [blob], epoch: 99 })).kind).toBe("lease_lost");
  expect(touched()).toEqual({ touched_at: startOfTime, count: 1 });
  await owner.persistChange({ blobs: [blob] });
  expect(touched()).toEqual({ touched_at: startOfTime + 50, count: 1 });
});

test("a clock that goes back takes no grace time away", async () => {
  const folder = newFolder();
  const { owner, advance } = await openWithClock(folder);
  const blob = someBlob();
  await owner.persistChange({ blobs: [blob] });
  advance(-1000);
  await owner.persistChange({ blobs: [blob] });
  expect(bySql(folder, "SELECT touched_at FROM blobs")).toEqual({ touched_at: startOfTime });
});

test("refuses bytes that were changed by hand", async () => {
  const folder = newFolder();
  const { store, owner } = await openWithClock(folder);
  const blob = someBlob();
  await owner.persistChange({ blobs: [blob] });
  bySql(folder, "UPDATE blobs SET bytes = x'00' RETURNING 1");
  await expect(store.loadBlob("orders", blob.hash)).rejects.toMatchObject({ code: "BLOB_CORRUPT" });
});
