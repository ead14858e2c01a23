import { randomUUID } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type ArrivingStore,
  type Change,
  contentHash,
  type DepartingStore,
  encodeCanonical,
  type Hash,
  type Store,
  tableNames,
} from "@holdfast/core";
import {
  openArrivingPostgres,
  openDepartingPostgres,
  openPostgresStore,
} from "@holdfast/store/postgres";
import { openArrivingSqlite, openDepartingSqlite, openSqliteStore } from "@holdfast/store/sqlite";
import { createSchemaDatabase } from "@holdfast/store/testing/postgres";
import fc from "fast-check";
import { expect, test } from "vitest";
import { fixed, fuzzScale, histories, playThrough } from "../testing/random-history.ts";
import { exportStore } from "./export-store.ts";
import { importStore } from "./import-store.ts";

/** A place for one store, and the ways it is opened. */
type Place = {
  readonly open: () => Promise<Store>;
  readonly depart: () => Promise<DepartingStore>;
  readonly arrive: () => Promise<ArrivingStore>;
  readonly leave: () => Promise<void>;
};

const options = { clock: fixed.clock, newIncarnation: randomUUID };

function folder(): Place {
  const at = { folder: mkdtempSync(join(tmpdir(), "holdfast-move-")), ...options };
  return {
    open: () => openSqliteStore(at),
    depart: () => openDepartingSqlite(at),
    arrive: () => openArrivingSqlite(at),
    leave: async () => {},
  };
}

async function database(): Promise<Place> {
  const { url, drop } = await createSchemaDatabase();
  const at = { url, newIncarnation: randomUUID };
  return {
    open: () => openPostgresStore(at),
    depart: () => openDepartingPostgres(at),
    arrive: () => openArrivingPostgres(at),
    leave: drop,
  };
}

async function move(from: Place, to: Place): Promise<void> {
  const path = join(mkdtempSync(join(tmpdir(), "holdfast-move-")), "store.export");
  const source = await from.depart();
  await exportStore(source, { path, by: "ann", at: 1 });
  await source.close();
  await expect(from.open()).rejects.toMatchObject({ code: "STORE_EXPORTED" });
  await importStore({ path, by: "bob", at: 2, open: to.arrive });
}

const workflow = "orders";
const call = contentHash("call") as Hash;

/** What lies beside the facts: counted, kept, charged, braked, and waiting. */
async function addAside(store: Store): Promise<void> {
  const { head, epoch } = await store.load(workflow, []);
  const summary = (await store.listWorkflows(null, 100)).find((one) => one.workflow === workflow);
  const read = { runId: "r1", connection: "shop", operation: "get", at: 5, amount: 7 };
  const change: Change = {
    workflow,
    epoch,
    expectedHead: head.seq,
    records: [],
    rows: [],
    blobs: [],
    dueAt: summary?.dueAt ?? null,
    settledBelow: [],
    trace: null,
    budgets: [{ name: "all", version: 0 }],
    counted: [{ ...read, readId: "1.1", budget: "all" }],
    kept: [{ chain: "r1", call, at: 5, result: '{"a":1}' }],
    forgetTracesThrough: null,
  };
  expect(await store.commit([change])).toMatchObject([{ kind: "committed" }]);
  const command = { commandId: "c9", actor: "ann", kind: "set_brake", at: 9 };
  const body = encodeCanonical({ operation: "*", reason: "look" });
  await store.turnStoreBrake({
    isOn: true,
    reason: "look",
    key: "k",
    command: { ...command, body },
  });
  await store.appendCommand({ ...command, commandId: "c10", workflow, body });
}

/** Everything that a store answers, but for its name and the epochs. */
async function contents(store: Store): Promise<unknown> {
  const found: unknown[] = [];
  for (const { epoch: _, owner: __, ...summary } of await store.listWorkflows(null, 100)) {
    const journal = await store.readJournal(summary.workflow, 0, 100_000);
    const rows: unknown[] = [];
    for (const table of tableNames) {
      for await (const row of store.scan(summary.workflow, table)) rows.push([table, row]);
    }
    const inbox = await store.readInbox(summary.workflow, 1_000);
    const parts = await store.listParts(summary.workflow, null, 1_000);
    found.push({ summary, journal, rows, inbox, parts });
  }
  const of = { connection: "shop", operation: "get", after: 0, runId: null };
  return {
    workflows: found,
    reads: await store.sumReads(workflow, of),
    kept: await store.findKept(workflow, { chain: "r1", call }),
    budget: await store.sumBudget({ budget: "all", after: 0, except: null }),
    brake: await store.findStoreBrake(),
  };
}

async function contentsAt(place: Place): Promise<unknown> {
  const store = await place.open();
  try {
    return await contents(store);
  } finally {
    await store.close();
  }
}

test(
  "[R160] a store of any history is the same on PostgreSQL and back, to the last row",
  async () => {
    const property = fc.asyncProperty(histories, async (played) => {
      const [first, second, third] = [folder(), await database(), folder()];
      try {
        const store = await first.open();
        await playThrough(store, played);
        await addAside(store);
        const before = await contents(store);
        await store.close();
        await move(first, second);
        expect(await contentsAt(second)).toEqual(before);
        await move(second, third);
        expect(await contentsAt(third)).toEqual(before);
      } finally {
        await second.leave();
      }
    });
    await fc.assert(property, { numRuns: Math.ceil(5 * fuzzScale) });
  },
  900_000 * Math.max(1, fuzzScale),
);
