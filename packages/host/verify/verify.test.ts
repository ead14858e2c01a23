import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Command } from "@holdfast/core";
import { openSqliteStore } from "@holdfast/store/sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { takeCheckpoint } from "../take-checkpoint.ts";
import { writeSampleHistory } from "../testing/sample-history.ts";
import { WorkflowOwner } from "../workflow-owner.ts";
import { verify } from "./verify.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-verify-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const openStore = () =>
  openSqliteStore({ folder, clock: () => 0, newIncarnation: () => "verify-test" });

async function writeHistory({ checkpoint }: { checkpoint: boolean }): Promise<void> {
  const store = await openStore();
  for (const workflow of ["mail", "orders"]) {
    const owner = await writeSampleHistory(store, workflow);
    if (checkpoint) expect((await takeCheckpoint(store, owner, 50_000)).kind).toBe("done");
  }
  await store.close();
}

const pauseCommand = (commandId: string): Command => ({
  commandId,
  workflow: "orders",
  actor: "ann",
  kind: "pause",
  body: new Uint8Array(),
  at: 0,
});

/** What a person with a database tool could do while Holdfast is not running. */
function tamper(sql: string): void {
  const database = new DatabaseSync(join(folder, "holdfast.db"));
  database.exec("PRAGMA foreign_keys = OFF");
  const { changes } = database.prepare(sql).run();
  expect(changes).toBeGreaterThan(0);
  database.close();
}

async function verifyStore(full: boolean) {
  const store = await openStore();
  try {
    return await verify(store, { full });
  } finally {
    await store.close();
  }
}

async function firstProblem(full = true) {
  const reports = await verifyStore(full);
  const [first] = reports.flatMap((report) => report.problems);
  return first;
}

describe("an untouched store", () => {
  test("has no problems, from the first record and with every payload", async () => {
    await writeHistory({ checkpoint: false });
    const reports = await verifyStore(true);
    expect(reports.map(({ workflow, from, problems }) => ({ workflow, from, problems }))).toEqual([
      { workflow: "mail", from: 1, problems: [] },
      { workflow: "orders", from: 1, problems: [] },
    ]);
    for (const { recordCount, head } of reports) expect(recordCount).toBe(head);
  });

  test("is verified from its last checkpoint, which a full run checks too", async () => {
    await writeHistory({ checkpoint: true });
    for (const full of [false, true]) {
      for (const { from, head, problems } of await verifyStore(full)) {
        expect(problems).toEqual([]);
        expect(from).toBe(full ? 1 : head + 1);
      }
    }
  });

  test("goes on after a checkpoint and is folded from it", async () => {
    const store = await openStore();
    const owner = await writeSampleHistory(store, "orders");
    await takeCheckpoint(store, owner, 50_000);
    await owner.execute([{ kind: "pause_workflow", actor: "ann" }], 60_000);
    const [report] = await verify(store, { full: false });
    expect(report).toMatchObject({ problems: [], recordCount: 1 });
    await store.close();
  });

  test("is not called damaged when somebody else goes on with it meanwhile", async () => {
    const store = await openStore();
    const owner = await writeSampleHistory(store, "orders");
    const readJournal: typeof store.readJournal = async (...range) => {
      await owner.execute([{ kind: "pause_workflow", actor: "ann" }], 60_000);
      return store.readJournal(...range);
    };
    const moving = new Proxy(store, {
      get: (target, name) => {
        const member: unknown = name === "readJournal" ? readJournal : Reflect.get(target, name);
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
    const verified = verify(moving, { full: true });
    await expect(verified).rejects.toMatchObject({ code: "STORE_CHANGED" });
    await store.close();
  });

  test("is not called damaged when commands arrive while its inbox is read", async () => {
    const store = await openStore();
    await writeSampleHistory(store, "orders");
    const limits: number[] = [];
    const readInbox: typeof store.readInbox = async (workflow, limit) => {
      limits.push(limit);
      for (const id of ["c-2", "c-3", "c-4"]) await store.appendCommand(pauseCommand(id));
      return store.readInbox(workflow, limit);
    };
    await store.appendCommand(pauseCommand("c-1"));
    const filling = new Proxy(store, {
      get: (target, name) => {
        const member: unknown = name === "readInbox" ? readInbox : Reflect.get(target, name);
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
    expect(await verify(filling, { full: true })).toMatchObject([{ problems: [] }]);
    // What should wait, and one more.
    expect(limits).toEqual([2]);
    await store.close();
  });
});

const flipped = "CAST(x'ff' || substr(bytes, 2) AS BLOB)";
const damage: readonly (readonly [string, string, string, RegExp])[] = [
  [
    "a journal record whose bytes were changed",
    `UPDATE journal SET bytes = ${flipped} WHERE workflow = 'orders' AND seq = 5`,
    "JOURNAL_CORRUPT",
    /do not match their hash/,
  ],
  [
    "a journal record cut short",
    "UPDATE journal SET bytes = substr(bytes, 1, 20) WHERE workflow = 'orders' AND seq = 5",
    "JOURNAL_CORRUPT",
    /do not match their hash/,
  ],
  [
    "a journal record put in the place of another",
    `UPDATE journal SET (hash, bytes) = (SELECT hash, bytes FROM journal
       WHERE workflow = 'mail' AND seq = 5) WHERE workflow = 'orders' AND seq = 5`,
    "JOURNAL_CORRUPT",
    /does not match|belongs to/,
  ],
  [
    "a missing journal record",
    "DELETE FROM journal WHERE workflow = 'orders' AND seq = 5",
    "JOURNAL_TRUNCATED",
    /missing/,
  ],
  [
    "a journal whose end was cut off",
    "DELETE FROM journal WHERE workflow = 'orders' AND seq >= 5",
    "JOURNAL_TRUNCATED",
    /ends at 4/,
  ],
  [
    "a head that names another hash",
    "UPDATE workflows SET head_hash = 'sha256:' || hex(zeroblob(32)) WHERE id = 'orders'",
    "JOURNAL_CORRUPT",
    /head names another hash/,
  ],
  [
    "a record beyond the head",
    `INSERT INTO journal SELECT workflow, max(seq) + 1, hash, bytes FROM journal
       WHERE workflow = 'orders'`,
    "JOURNAL_CORRUPT",
    /beyond the head/,
  ],
  [
    "a row changed by hand",
    "UPDATE inputs SET title = 'Other' WHERE workflow = 'orders' AND title = 'Order o1'",
    "TABLES_DIFFER",
    /title is "Other", the journal says "Order o1"/,
  ],
  [
    "a row changed by hand into something unreadable",
    "UPDATE events SET caused_by = 'garbage' WHERE workflow = 'orders'",
    "TABLES_DIFFER",
    /events: .*garbage/,
  ],
  [
    "a due time taken away",
    "UPDATE workflows SET due_at = NULL WHERE id = 'orders'",
    "TABLES_DIFFER",
    /due at null/,
  ],
  [
    "a mark that hides a pending event",
    "UPDATE topics SET low_water = 1000000 WHERE workflow = 'orders'",
    "TABLES_DIFFER",
    /peek of orders shows null, the journal says o3/,
  ],
  [
    "a head with another time",
    "UPDATE workflows SET head_at = 1 WHERE id = 'orders'",
    "TABLES_DIFFER",
    /head at 1/,
  ],
  [
    "another fact version",
    "UPDATE workflows SET fact_version = 0 WHERE id = 'orders'",
    "TABLES_DIFFER",
    /fact version 0/,
  ],
  [
    "a command that went missing",
    "UPDATE workflows SET inbox_tail = 1 WHERE id = 'orders'",
    "TABLES_DIFFER",
    /inbox ends at 1/,
  ],
  [
    "a row deleted by hand",
    "DELETE FROM mutation_evidence WHERE workflow = 'orders'",
    "TABLES_DIFFER",
    /missing/,
  ],
  [
    "a row added by hand",
    "INSERT INTO brakes VALUES ('orders', 'shop.put', 'because', 'eve', 1)",
    "TABLES_DIFFER",
    /no record made it/,
  ],
  [
    "a stored payload that was changed",
    "UPDATE blobs SET bytes = x'00' WHERE workflow = 'orders'",
    "BLOB_CORRUPT",
    /event orders o2/,
  ],
  [
    "a stored payload that is gone",
    "DELETE FROM blobs WHERE workflow = 'orders'",
    "BLOB_MISSING",
    /event orders o2/,
  ],
];

describe("a store that was changed behind Holdfast's back", () => {
  test.each(damage)("names %s, with its place in the journal", async (_, sql, code, note) => {
    await writeHistory({ checkpoint: false });
    tamper(sql);
    const problem = await firstProblem();
    expect(problem).toMatchObject({ code, workflow: "orders", note: expect.stringMatching(note) });
    expect(problem?.position).toBeGreaterThan(0);
  });

  test.each([
    ["the first", 1],
    ["one in the middle", 2],
    ["the last", 3],
  ])("names an inbox that lacks %s of the commands that wait", async (_, position) => {
    await writeHistory({ checkpoint: false });
    const store = await openStore();
    for (const id of ["c-1", "c-2", "c-3"]) await store.appendCommand(pauseCommand(id));
    expect((await verify(store, { full: true })).flatMap(({ problems }) => problems)).toEqual([]);
    await store.close();
    tamper(`DELETE FROM commands WHERE workflow = 'orders' AND position = ${position}`);
    const note = expect.stringMatching(/inbox ends at 3/);
    expect(await firstProblem()).toMatchObject({ code: "TABLES_DIFFER", note });
  });

  test("says which record last touched a row that differs", async () => {
    await writeHistory({ checkpoint: false });
    tamper("UPDATE events SET title = 'Other' WHERE workflow = 'orders' AND message_id = 'o3'");
    const store = await openStore();
    const { rows } = await store.load("orders", [
      { kind: "row", table: "events", key: ["orders", "o3"] },
    ]);
    await store.close();
    const position = rows[0]?.table === "events" ? rows[0].row.position : 0;
    expect(await firstProblem()).toMatchObject({ code: "TABLES_DIFFER", position });
  });

  test("names a checkpoint that is not what its hash says, without a full run", async () => {
    await writeHistory({ checkpoint: true });
    tamper("UPDATE blobs SET bytes = x'00' WHERE workflow = 'orders'");
    expect(await firstProblem(false)).toMatchObject({ code: "BLOB_CORRUPT", workflow: "orders" });
  });

  test("names an index that no longer agrees with its table, in a full run", async () => {
    await writeHistory({ checkpoint: false });
    const database = new DatabaseSync(join(folder, "holdfast.db"), { defensive: false });
    // As a damaged page would: the index keeps its old entries, the table goes on.
    database.exec("PRAGMA writable_schema = ON");
    const where = "type = 'index' AND name = 'events_unsettled'";
    const kept = database.prepare(`SELECT sql FROM sqlite_schema WHERE ${where}`).get();
    const other = "CREATE INDEX events_unsettled ON events (workflow, topic, position) WHERE 0";
    const change = database.prepare(`UPDATE sqlite_schema SET sql = ? WHERE ${where}`);
    change.run(other);
    database.close();
    const second = new DatabaseSync(join(folder, "holdfast.db"), { defensive: false });
    second.exec("REINDEX events_unsettled; PRAGMA writable_schema = ON");
    second.prepare(`UPDATE sqlite_schema SET sql = ? WHERE ${where}`).run(String(kept?.["sql"]));
    second.close();
    expect(await firstProblem(true)).toMatchObject({ code: "STORE_CORRUPT" });
  });

  test("checks the checkpoint's own payloads in a full run too", async () => {
    await writeHistory({ checkpoint: true });
    tamper("DELETE FROM blobs WHERE workflow = 'orders' AND size <> 2012");
    expect(await firstProblem(true)).toMatchObject({ code: "BLOB_MISSING", workflow: "orders" });
  });

  test("is mended by a new checkpoint when only parts of an old one are missing", async () => {
    await writeHistory({ checkpoint: true });
    tamper("DELETE FROM blobs WHERE workflow = 'orders' AND size <> 2012");
    const store = await openStore();
    const { epoch } = await store.load("orders", []);
    const owner = new WorkflowOwner(store, { workflow: "orders", epoch });
    expect((await takeCheckpoint(store, owner, 60_000)).kind).toBe("done");
    await store.close();
    expect(await firstProblem(false)).toBeUndefined();
  });

  test("is not hidden by a checkpoint: none is taken of damaged tables", async () => {
    await writeHistory({ checkpoint: false });
    tamper("UPDATE inputs SET title = 'Other' WHERE workflow = 'orders'");
    const store = await openStore();
    const { epoch } = await store.load("orders", []);
    const owner = new WorkflowOwner(store, { workflow: "orders", epoch });
    await expect(takeCheckpoint(store, owner, 60_000)).rejects.toThrow(/TABLES_DIFFER/);
    await store.close();
    expect(await firstProblem()).toMatchObject({ code: "TABLES_DIFFER" });
  });

  test("[R136] finds an event held by an ended run, however long the journal is", async () => {
    await writeHistory({ checkpoint: false });
    const look = async () => {
      const long: string[] = [];
      const store = await openStore();
      const onLong = (workflow: string) => long.push(workflow);
      const reports = await verify(store, { full: false, recordsMax: 1, onLong });
      await store.close();
      expect(long).toEqual(["mail", "orders"]);
      return reports.flatMap(({ problems }) => problems);
    };
    expect(await look()).toEqual([]);
    tamper(`UPDATE events SET reserved_by = (SELECT run_id FROM runs
      WHERE workflow = 'orders' AND open = 0 LIMIT 1)
      WHERE workflow = 'orders' AND message_id = 'o2'`);
    expect(await look()).toMatchObject([
      { code: "INVARIANT_BROKEN", workflow: "orders", note: expect.stringContaining("orders/o2") },
    ]);
  });

  test("finds a row changed after the checkpoint without a full run", async () => {
    await writeHistory({ checkpoint: true });
    tamper("UPDATE topics SET observed = 1 WHERE workflow = 'orders' AND name = 'orders'");
    expect(await firstProblem(false)).toMatchObject({ code: "TABLES_DIFFER", workflow: "orders" });
  });

  test("changes nothing itself: the damage is still there after verifying", async () => {
    await writeHistory({ checkpoint: false });
    tamper("UPDATE inputs SET title = 'Other' WHERE workflow = 'orders'");
    const before = await verifyStore(true);
    expect(await verifyStore(true)).toEqual(before);
  });
});
