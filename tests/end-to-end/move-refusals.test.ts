import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { decodeCanonical, encodeCanonical } from "@holdfast/core";
import { expect, test } from "vitest";
import { newFolder, runOffline, type StorePlace, verifyFull } from "./host-process.ts";
import { chainOf, exportTo, fillStore, importFrom, newFile } from "./moving.ts";
import { places } from "./stores.ts";

type Entry = { kind: string } & Record<string, unknown>;

const firstLineBytes = "holdfast export 1\n".length;

function entriesOf(bytes: Buffer): Entry[] {
  const entries: Entry[] = [];
  for (let at = firstLineBytes; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const body = bytes.subarray(at + 4, at + 4 + length);
    entries.push(decodeCanonical(new Uint8Array(body)) as Entry);
    at += 4 + length;
  }
  return entries;
}

/** With a count and a hash that fit, as somebody would write it who knows the form. */
function fileOf(entries: readonly Entry[]): Buffer {
  const encode = (entry: Entry) => {
    const body = encodeCanonical(entry as never);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(body.length);
    return Buffer.concat([length, body]);
  };
  const others = entries.filter(({ kind }) => kind !== "end");
  const bytes = Buffer.concat([Buffer.from("holdfast export 1\n"), ...others.map(encode)]);
  const hash = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
  return Buffer.concat([bytes, encode({ kind: "end", entryCount: others.length, hash })]);
}

const changed = (entries: readonly Entry[], kind: string, change: (entry: Entry) => Entry) => {
  const at = entries.findIndex((entry) => entry.kind === kind);
  return entries.map((entry, index) => (index === at ? change(entry) : entry));
};

const damages: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  "cut off in an entry": (bytes) => bytes.subarray(0, bytes.length - 10),
  "cut off between entries": (bytes) => {
    const end = fileOf([]).length - firstLineBytes;
    return bytes.subarray(0, bytes.length - end);
  },
  empty: () => Buffer.alloc(0),
  "with one bit changed": (bytes) => {
    const other = Buffer.from(bytes);
    const at = Math.floor(other.length / 2);
    other.writeUInt8(other.readUInt8(at) ^ 1, at);
    return other;
  },
  "with another name in it": (bytes) => {
    const other = Buffer.from(bytes);
    // Behind the word and the length of what it says.
    const at = other.indexOf("exportedBy") + "exportedBy".length + 1;
    other.writeUInt8(other.readUInt8(at) ^ 1, at);
    return other;
  },
  "with something after its end": (bytes) => Buffer.concat([bytes, Buffer.from([0])]),
  "of another version": (bytes) =>
    Buffer.from(bytes.toString("latin1").replace(" 1\n", " 2\n"), "latin1"),
  "of something else": () => Buffer.from("PK\u0003\u0004 a file of another program"),
  "without one of its records": (bytes) => {
    const entries = entriesOf(bytes);
    const at = entries.findIndex(({ kind }) => kind === "record") + 2;
    return fileOf(entries.filter((_, index) => index !== at));
  },
  "without the last record of a workflow": (bytes) => {
    const entries = entriesOf(bytes);
    const at = entries.findLastIndex(({ kind }) => kind === "record");
    return fileOf(entries.filter((_, index) => index !== at));
  },
  "with a payload that is another": (bytes) => {
    const entries = entriesOf(bytes);
    const at = entries.findIndex(({ table }) => table === "blobs");
    const { row, ...rest } = entries[at] as Entry;
    const other = { ...rest, row: { ...(row as object), bytes: new Uint8Array([1]) } } as Entry;
    return fileOf(entries.with(at, other));
  },
  "with a workflow twice": (bytes) => {
    const entries = entriesOf(bytes);
    return fileOf(
      changed(entries, "end", () => entries.find(({ kind }) => kind === "workflow") as Entry),
    );
  },
  "with a table that is none of ours": (bytes) =>
    fileOf(changed(entriesOf(bytes), "row", (entry) => ({ ...entry, table: "store_meta" }))),
};

async function exported(): Promise<Buffer> {
  const store = await places.SQLite();
  await fillStore(store);
  const file = newFile();
  await exportTo(store, file);
  return readFileSync(file);
}

test("[R160] a file that is not a whole export is refused, and nothing is imported", async () => {
  const bytes = await exported();
  expect(fileOf(entriesOf(bytes)).equals(bytes)).toBe(true);
  const folder = join(newFolder(), "data");
  const target: StorePlace = { kind: "sqlite", folder };
  for (const [name, damage] of Object.entries(damages)) {
    const file = newFile();
    writeFileSync(file, damage(bytes));
    const refused = await runOffline(target, "import", file);
    expect([name, refused.code, refused.out]).toEqual([
      name,
      3,
      expect.stringContaining("EXPORT_UNREADABLE"),
    ]);
    expect(existsSync(folder)).toBe(false);
  }
  const missing = await runOffline(target, "import", join(newFolder(), "nothing"));
  expect(missing.out).toContain("EXPORT_UNREADABLE");
});

test.each(Object.entries(places))(
  "[R160] a store that is there, on %s, is not imported into",
  async (_, newPlace) => {
    const bytes = await exported();
    const file = newFile();
    writeFileSync(file, bytes);
    const target = await newPlace();
    await fillStore(target);
    const before = await chainOf(target);
    const refused = await runOffline(target, "import", file);
    expect([refused.code, refused.out]).toEqual([
      3,
      expect.stringMatching(/IMPORT_REFUSED.*holds workflows/),
    ]);
    expect(await chainOf(target)).toEqual(before);
    expect((await verifyFull(target)).out).toContain("nothing differs");
    const other = await newPlace();
    await importFrom(other, file);
    const twice = await runOffline(other, "import", file);
    expect([twice.code, twice.out]).toEqual([3, expect.stringContaining("IMPORT_REFUSED")]);
  },
);

test("[R160] a store is not exported over a file, or into nowhere, and goes on", async () => {
  const store = await places.SQLite();
  await fillStore(store);
  const file = newFile();
  writeFileSync(file, "mine");
  for (const path of [file, join(newFolder(), "none", "store.export")]) {
    const refused = await runOffline(store, "export", path, "--with-state");
    expect([refused.code, refused.out]).toEqual([3, expect.stringContaining("EXPORT_REFUSED")]);
  }
  expect(readFileSync(file, "utf8")).toBe("mine");
  expect(await verifyFull(store)).toMatchObject({ code: 0 });
});

test("[R160] damage is not exported: it would be mended without a word", async () => {
  const store = await places.SQLite();
  if (store.kind !== "sqlite") throw new Error("a folder");
  await fillStore(store);
  const database = new DatabaseSync(join(store.folder, "holdfast.db"));
  database.exec("UPDATE inputs SET title = 'another'");
  database.close();
  const file = newFile();
  const refused = await runOffline(store, "export", file, "--with-state");
  expect([refused.code, refused.out]).toEqual([
    3,
    expect.stringMatching(/EXPORT_REFUSED.*TABLES_DIFFER/),
  ]);
  expect([existsSync(file), existsSync(`${file}.unfinished`)]).toEqual([false, false]);
  expect((await verifyFull(store)).out).toContain("TABLES_DIFFER");
});
