import { createHash } from "node:crypto";
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type ErrorCode, HostError, insertRow } from "@holdfast/core";
import { describe, expect, test } from "vitest";
import { Owner } from "../testing/change-builder.ts";
import { eventRow, topicRow } from "../testing/row-builder.ts";
import { nobody, startChild } from "./testing/child.ts";
import { newFolder, openStore } from "./testing/folder.ts";

/** A closed store with a journal of some pages. */
async function livedIn(): Promise<string> {
  const folder = newFolder();
  const store = await openStore(folder);
  const owner = await Owner.create(store);
  await owner.persist(insertRow("topics", topicRow("orders")));
  for (let round = 0; round < 40; round++) {
    const rows = Array.from({ length: 10 }, (_, index) =>
      insertRow("events", eventRow(`m-${round}-${index}`, { position: round * 10 + index })),
    );
    await owner.persist(...rows);
  }
  await store.close();
  return folder;
}

const database = (folder: string): string => join(folder, "holdfast.db");

function bySql(sql: string): (folder: string) => void {
  return (folder) => {
    const db = new DatabaseSync(database(folder));
    db.exec(sql);
    db.close();
  };
}

/** Everything but the owner's note, which is rewritten by whoever comes. */
function fingerprint(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder).filter((name) => name !== "lock.json");
  const hash = (name: string) =>
    createHash("sha256")
      .update(readFileSync(join(folder, name)))
      .digest("hex");
  return Object.fromEntries(names.sort().map((name) => [name, hash(name)]));
}

async function refusalOf(folder: string): Promise<HostError> {
  const outcome = await openStore(folder).catch((error: unknown) => error);
  expect(outcome).toBeInstanceOf(HostError);
  return outcome as HostError;
}

type Spoil = (folder: string) => void;

const spoiled: readonly (readonly [what: string, spoil: Spoil, code: ErrorCode, says: RegExp])[] = [
  [
    "a schema from a newer program",
    bySql("UPDATE store_meta SET schema_version = 99"),
    "STORE_SCHEMA_NEWER",
    /version 99/,
  ],
  [
    "text instead of a database",
    (folder) => writeFileSync(database(folder), "Dear diary, ".repeat(1000)),
    "STORE_NOT_A_DATABASE",
    /not a database/,
  ],
  [
    "a file cut short within its first page",
    (folder) => truncateSync(database(folder), 60),
    "STORE_CORRUPT",
    /wrong or missing pages/,
  ],
  [
    "a file cut in half",
    (folder) => truncateSync(database(folder), statSync(database(folder)).size / 2),
    "STORE_CORRUPT",
    /wrong or missing pages/,
  ],
  [
    "a file cut to nothing",
    (folder) => truncateSync(database(folder), 0),
    "STORE_GONE",
    /is empty/,
  ],
  ["a file that is gone", (folder) => rmSync(database(folder)), "STORE_GONE", /is not there/],
  [
    "a trigger removed by hand",
    bySql("DROP TRIGGER ledger_edge"),
    "STORE_SCHEMA_DIFFERS",
    /trigger ledger_edge is missing/,
  ],
  [
    "a trigger loosened by hand",
    bySql(
      `DROP TRIGGER ledger_edge;
       CREATE TRIGGER ledger_edge BEFORE UPDATE ON mutations WHEN 0 BEGIN SELECT 1; END;`,
    ),
    "STORE_SCHEMA_DIFFERS",
    /trigger ledger_edge was changed/,
  ],
  [
    "a column added by hand",
    bySql("ALTER TABLE events ADD COLUMN note TEXT"),
    "STORE_SCHEMA_DIFFERS",
    /table events was changed/,
  ],
  [
    "an index added by hand",
    bySql("CREATE INDEX mine ON events (title)"),
    "STORE_SCHEMA_DIFFERS",
    /index mine is not ours/,
  ],
  [
    "a lock file that is something else",
    (folder) => writeFileSync(join(folder, "lock.db"), "x".repeat(5000)),
    "STORE_NOT_A_DATABASE",
    /lock\.db/,
  ],
];

describe("opening", () => {
  test.each(spoiled)("refuses %s and changes nothing", async (_, spoil, code, says) => {
    const folder = await livedIn();
    spoil(folder);
    const before = fingerprint(folder);
    const refusal = await refusalOf(folder);
    expect(refusal.code).toBe(code);
    expect(refusal.message).toMatch(says);
    expect(refusal.remedy).toMatch(/\w/);
    expect(fingerprint(folder)).toEqual(before);
    // Refused twice means: not repaired the first time, and the lock was given back.
    expect((await refusalOf(folder)).code).toBe(code);
  });

  test("refuses another program's database and leaves it without a log", async () => {
    const folder = newFolder();
    bySql("CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('mine')")(folder);
    const before = readFileSync(database(folder));
    expect((await refusalOf(folder)).code).toBe("STORE_NOT_A_DATABASE");
    expect(readFileSync(database(folder))).toEqual(before);
    expect(existsSync(`${database(folder)}-wal`)).toBe(false);
  });

  test("refuses another program's database that has a log", async () => {
    const folder = newFolder();
    bySql("PRAGMA journal_mode = WAL; CREATE TABLE notes (text TEXT)")(folder);
    expect((await refusalOf(folder)).code).toBe("STORE_NOT_A_DATABASE");
  });

  test("refuses to start anew beside a log whose database is gone", async () => {
    const folder = newFolder();
    writeFileSync(`${database(folder)}-wal`, "frames of a lost database");
    expect((await refusalOf(folder)).code).toBe("STORE_GONE");
    expect(existsSync(`${database(folder)}-wal`)).toBe(true);
  });

  test("refuses a folder that is a file", async () => {
    const path = join(newFolder(), "data");
    writeFileSync(path, "");
    expect((await refusalOf(path)).code).toBe("STORE_GONE");
  });

  test("makes a folder that was never there", async () => {
    const store = await openStore(join(newFolder(), "deep", "data"));
    expect(await store.createWorkflow("orders")).toEqual({ created: true });
  });
});

/** Owned by nobody, so that the permission bits speak to the child. */
function giveAway(folder: string): void {
  if (process.getuid?.() !== 0) return;
  for (const name of ["", ...readdirSync(folder)]) chownSync(join(folder, name), nobody, nobody);
}

describe("without permission to write", () => {
  const cases: readonly (readonly [what: string, forbid: Spoil])[] = [
    ["the database", (folder) => chmodSync(database(folder), 0o444)],
    ["the lock", (folder) => chmodSync(join(folder, "lock.db"), 0o444)],
    ["the folder", (folder) => chmodSync(folder, 0o555)],
  ];

  test.each(cases)("refuses when %s is read-only", async (_, forbid) => {
    const folder = await livedIn();
    giveAway(folder);
    forbid(folder);
    const child = startChild("open", folder, { unprivileged: true });
    expect(await child.hear()).toMatchObject({ code: "STORE_READ_ONLY" });
  });

  test("opens when nothing is forbidden, so that the refusals above mean something", async () => {
    const folder = await livedIn();
    giveAway(folder);
    const child = startChild("open", folder, { unprivileged: true });
    expect(await child.hear()).toBe("opened");
  });
});

test("a read that meets overwritten pages fails, and gives no rows instead", async () => {
  const folder = await livedIn();
  const { size } = statSync(database(folder));
  const file = openSync(database(folder), "r+");
  // Spares the first pages, where the schema is: the damage shows only when rows are read.
  const from = size - size / 8;
  writeSync(file, Buffer.alloc(size - from, 0xa5), 0, size - from, from);
  closeSync(file);
  const store = await openStore(folder);
  const readAll = async (): Promise<void> => {
    for await (const _ of store.scan("orders", "events"));
    await store.readJournal("orders", 0, 1000);
  };
  await expect(readAll()).rejects.toMatchObject({ code: "STORE_CORRUPT" });
});
