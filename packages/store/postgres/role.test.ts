import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  deleteRow,
  encodeCanonical,
  insertRow,
  type Need,
  pinPayload,
  type RowChange,
  tableNames,
  updateRow,
} from "@holdfast/core";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { Owner } from "../testing/change-builder.ts";
import { command } from "../testing/inbox.testsuite.ts";
import * as row from "../testing/row-builder.ts";
import { rowsOf } from "../testing/table-reader.ts";
import { grantStatements } from "./grants.ts";
import { applyPostgresSchema } from "./index.ts";
import { CuttingProxy, TestServer } from "./testing/index.ts";
import { ask, emptyDatabaseInTest, errorOf, openInTest, urlWith } from "./testing/store-in-test.ts";

/** A name that has to be quoted with care. */
const app = 'the "app"; DROP SCHEMA holdfast';

let server: TestServer;
let keeperUrl: string;
let appUrl: string;

beforeAll(async () => {
  server = await TestServer.start();
  await ask(server.url(), "CREATE ROLE keeper LOGIN");
  await ask(server.url(), `CREATE ROLE "${app.replaceAll('"', '""')}" LOGIN`);
});
afterAll(() => server?.stop());

/** A hardened database: what is not granted is not there. */
beforeEach(async () => {
  const { url, name } = await emptyDatabaseInTest(server.url());
  await ask(url, `ALTER DATABASE ${name} OWNER TO keeper`);
  keeperUrl = urlWith(url, { user: "keeper" });
  appUrl = urlWith(url, { user: encodeURIComponent(app) });
  await applyPostgresSchema({ url: keeperUrl });
  await ask(keeperUrl, "REVOKE ALL ON ALL FUNCTIONS IN SCHEMA holdfast FROM PUBLIC");
});

const grant = () => ask(keeperUrl, grantStatements(app));

/** Each row once as it is made, changed and taken away in the life of a workflow. */
const lifeOfRows: readonly (readonly RowChange[])[] = [
  [
    insertRow("workflows", row.workflowRow()),
    insertRow("envelopes", row.envelopeRow(1)),
    insertRow("topics", row.topicRow("orders")),
    insertRow("handlers", row.handlerRow("book")),
    insertRow("handler_kv", { handler: "book", key: "k", value: row.payloadOf("v") }),
    insertRow("inputs", row.inputRow("i-1")),
    insertRow("events", row.eventRow("m-1")),
    insertRow("event_inputs", { inputId: "i-1", topic: "orders", messageId: "m-1" }),
    insertRow("event_uses", { topic: "orders", messageId: "m-1", usedBy: "run-1" }),
    insertRow("runs", row.runRow("run-1")),
    insertRow("attentions", row.attentionRow("a-1")),
    insertRow("brakes", row.brakeRow("shop.book")),
    insertRow("verdicts", row.verdictRow("c-1")),
    insertRow("skipped_firings", { handler: "book", dueAt: 1, seq: 1, firingCount: 1 }),
    insertRow("deliveries", row.deliveryRow("d-1")),
  ],
  [
    insertRow("reservations", row.reservationRow("run-1", "m-1")),
    updateRow("events", ["orders", "m-1"], { status: "reserved", reservedBy: "run-1" }),
    insertRow("mutations", row.mutationRow("mutation-1")),
    insertRow("mutation_inputs", row.mutationInputRow("m-1")),
    insertRow("mutation_evidence", row.evidenceRow("mutation-1", 1)),
    updateRow("topics", ["orders"], { lastPendingSeq: 2 }),
    updateRow("handlers", ["book"], { crashCount: 1 }),
    updateRow("deliveries", ["d-1"], { status: "taken", runId: "run-1" }),
    updateRow("handler_kv", ["book", "k"], { value: row.payloadOf("w") }),
    updateRow("inputs", ["i-1"], { skippedAt: 5 }),
    updateRow("attentions", ["a-1"], { closedAt: 5 }),
  ],
  [
    updateRow("mutations", ["mutation-1"], { state: "failed" }),
    deleteRow("mutation_inputs", ["book", "orders", "m-1", 1]),
    updateRow("events", ["orders", "m-1"], { status: "consumed", reservedBy: null }),
    updateRow("runs", ["run-1"], { open: false }),
    updateRow("workflows", [], { inboxThrough: 0 }),
    { op: "reopen_topic", topic: "orders", revision: 9 },
    { op: "clear_kv", handler: "book" },
    deleteRow("brakes", ["shop.book"]),
  ],
];

const needs: readonly Need[] = [
  { kind: "base" },
  { kind: "input", inputId: "i-1" },
  { kind: "uses", topic: "orders", messageId: "m-1" },
  { kind: "run", runId: "run-1" },
  { kind: "mutation_key", mutationKey: "key-mutation-1" },
  { kind: "row", table: "envelopes", key: [1] },
  { kind: "oldest_pending" },
  { kind: "waiting_deliveries", handler: "hook" },
];

const forbidden = [
  "UPDATE holdfast.journal SET hash = ''",
  "DELETE FROM holdfast.journal",
  "TRUNCATE holdfast.journal",
  "DELETE FROM holdfast.mutations",
  "UPDATE holdfast.envelopes SET set_by = ''",
  "DELETE FROM holdfast.envelopes",
  "DELETE FROM holdfast.events",
  "DELETE FROM holdfast.workflows",
  "DELETE FROM holdfast.commands",
  "UPDATE holdfast.commands SET kind = ''",
  "UPDATE holdfast.blobs SET bytes = ''",
  "UPDATE holdfast.traces SET text = ''",
  "UPDATE holdfast.mutation_inputs SET mutation_id = ''",
  "UPDATE holdfast.mutation_evidence SET note = ''",
  "UPDATE holdfast.verdicts SET note = ''",
  "UPDATE holdfast.store_meta SET timeline = ''",
  "DELETE FROM holdfast.store_meta",
  "UPDATE holdfast.schema_version SET version = 99",
  "DELETE FROM holdfast.schema_objects",
  "ALTER TABLE holdfast.mutations DISABLE TRIGGER ledger_edge",
  "DROP TRIGGER ledger_edge ON holdfast.mutations",
  "DROP FUNCTION holdfast.admit_1(text)",
  "CREATE TABLE holdfast.mine (id int)",
];

describe("a role with the grants and nothing else", () => {
  test("opens the store and lives the life of a workflow", async () => {
    await grant();
    const store = await openInTest({ url: appUrl });
    const owner = await Owner.create(store);
    const { blob } = pinPayload(encodeCanonical("long".repeat(1_000)));
    const blobs = blob === null ? [] : [blob];
    for (const rows of lifeOfRows) {
      await owner.persistChange({ rows, blobs, parts: blobs, dueAt: 1 });
    }
    const hashes = await store.listParts("orders", null, 9);
    expect(await store.sweepParts("orders", hashes, -1_000)).toBe(1);
    const command = { commandId: "b", actor: "ada", kind: "k", body: new Uint8Array(), at: 1 };
    await store.turnStoreBrake({ isOn: true, reason: "r", key: "k", command });
    await store.tellOfStoreBrake("orders");
    await store.createWorkflow("born");
    expect(await store.findStoreBrake()).toMatchObject({ setBy: "ada", reason: "r" });
    expect(await store.readInbox("born", 9)).toHaveLength(1);
    const { settledBelow } = await store.peek("orders", "orders", 10);
    await owner.persistChange({
      settledBelow: [{ topic: "orders", position: settledBelow ?? 0 }],
    });
    await owner.persistChange({ trace: { runId: "run-1", at: 1, text: "did" } });
    await owner.persistChange({
      trace: { runId: "run-1", at: 2, text: "did" },
      forgetTracesThrough: owner.head.seq,
    });
    expect(await store.readTraces("orders", 0, 10)).toHaveLength(1);
    expect(await store.pruneTraces(3, 10)).toBe(1);
    const stray = owner.change({ epoch: 9 });
    expect((await store.commit([stray])).map(({ kind }) => kind)).toEqual(["lease_lost"]);
    await store.load("orders", needs);
    for (const table of tableNames) await rowsOf(store, "orders", table);
    for (const { hash } of blobs) await store.loadBlob("orders", hash);
    expect(await store.readJournal("orders", 0, 10)).toHaveLength(6);
    const { cursor } = await store.readChanges(null);
    await store.readChanges(cursor);
  });

  test("takes part as a host", async () => {
    await grant();
    const store = await openInTest({ url: appUrl });
    await store.createWorkflow("orders");
    const woken = new Promise((resolve) => {
      onTestFinished(store.watch(resolve));
    });
    await store.appendCommand(command("c-1"));
    await woken;
    expect(await store.nextDueAt()).not.toBeNull();
    await store.openHost({ incarnation: "host-1", leaseMs: 60_000 });
    expect((await store.claim("host-1", 10)).claims).toHaveLength(1);
    expect(await store.claimOne("host-1", "orders")).toBeNull();
    expect(await store.listAwaiting("http", null, 10)).toEqual([]);
    expect(await store.heartbeat("host-1")).toBe(true);
    expect(await store.census()).toMatchObject({ hosts: 1, owned: 1 });
    expect(await store.readInbox("orders", 10)).toHaveLength(1);
    await store.release("host-1", { workflow: "orders", epoch: 1 });
    await store.closeHost("host-1");
  });

  test("finds out what became of an unknown commit", async () => {
    await grant();
    const proxy = await CuttingProxy.start(appUrl);
    onTestFinished(() => proxy.stop());
    const store = await openInTest({ url: proxy.url(), onTrouble: () => {} });
    const owner = await Owner.create(store);
    const { settled } = proxy.plan({ place: { at: "after-request" } });
    expect(await owner.commit()).toMatchObject({ kind: "unknown" });
    await settled;
    expect((await store.load("orders", [])).head.seq).toBe(1);
  });

  test("cannot accept a restored database: the owner of the schema does", async () => {
    await grant();
    await (await openInTest({ url: appUrl })).close();
    await ask(keeperUrl, "UPDATE holdfast.store_meta SET timeline = 'FFFFFFFF'");
    await errorOf(() => openInTest({ url: appUrl }), "STORE_RESTORED");
    const accepting = { newIncarnation: () => "store-2", acceptRestored: true };
    await errorOf(() => openInTest({ url: appUrl, ...accepting }), "STORE_ACCESS_DENIED");
    const accepted = await openInTest({ url: keeperUrl, ...accepting });
    expect(accepted.storeIncarnation).toBe("store-2");
    expect((await openInTest({ url: appUrl })).storeIncarnation).toBe("store-2");
  });

  test("may undo nothing and loosen nothing", async () => {
    await grant();
    await openInTest({ url: appUrl });
    for (const sql of forbidden) {
      await expect(ask(appUrl, sql), sql).rejects.toMatchObject({ code: "42501" });
    }
  });

  test("is refused without them, and by name of what is missing when one is", async () => {
    await errorOf(() => openInTest({ url: appUrl }), "STORE_ACCESS_DENIED");
    await grant();
    await ask(keeperUrl, `REVOKE INSERT ON holdfast.journal FROM "${app.replaceAll('"', '""')}"`);
    const store = await openInTest({ url: appUrl });
    const owner = await Owner.create(store);
    const error = await errorOf(() => owner.commit(), "STORE_ACCESS_DENIED");
    expect(error.message).toContain("journal");
  });
});

/** What the core's projections do to the tables, as they are written. */
function findProjected(): ReadonlyMap<string, ReadonlySet<string>> {
  const core = fileURLToPath(new URL("../../core", import.meta.url));
  const files = readdirSync(core, { recursive: true, encoding: "utf8" });
  const found = new Map<string, Set<string>>();
  for (const file of files.filter((name) => /project[^/]*\.ts$/.test(name))) {
    const text = readFileSync(join(core, file), "utf8");
    for (const [, op = "", table = ""] of text.matchAll(/(insert|update|delete)Row\(\s*"(\w+)"/g)) {
      const ops = found.get(table) ?? new Set();
      found.set(table, ops.add(op.toUpperCase()));
    }
  }
  // Whole topics and stores of keys are changed by a word of their own.
  found.get("events")?.add("UPDATE");
  found.get("handler_kv")?.add("DELETE");
  return found;
}

test("the grants are what the projections of the core need, and no more", () => {
  const granted = new Map<string, string>();
  for (const [, may = "", table = ""] of grantStatements("any").matchAll(
    /GRANT (.*) ON holdfast\.(\w+) TO/g,
  )) {
    granted.set(table, may);
  }
  const projected = findProjected();
  expect([...projected.keys()].sort()).toEqual([...tableNames].sort());
  for (const [table, ops] of projected) {
    const expected = ["SELECT", "INSERT", "UPDATE", "DELETE"].filter(
      (op) => op === "SELECT" || ops.has(op),
    );
    expect([table, granted.get(table)]).toEqual([table, expected.join(", ")]);
  }
});
