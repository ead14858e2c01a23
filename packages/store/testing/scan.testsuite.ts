import {
  deleteRow,
  insertRow,
  type Need,
  pinPayload,
  type RowChange,
  type RowKey,
  type Rows,
  type Store,
  type TableName,
  tableNames,
  tables,
  updateRow,
} from "@holdfast/core";
import { expect } from "vitest";
import { Owner } from "./change-builder.ts";
import {
  attentionRow,
  brakeRow,
  deliveryRow,
  envelopeRow,
  eventRow,
  evidenceRow,
  handlerRow,
  inputRow,
  itemRow,
  machineFrameRow,
  machineInputRow,
  mutationInputRow,
  mutationRow,
  payloadOf,
  proposalRow,
  reservationRow,
  runRow,
  topicRow,
  verdictRow,
  workflowRow,
} from "./row-builder.ts";
import type { StoreCase } from "./store-case.ts";
import { rowsOf } from "./table-reader.ts";

const awkward = "naïve \u{1F600} \uFF5E 'quote' \"double\" \\ % _ line\nbreak\ttab";
const largest = Number.MAX_SAFE_INTEGER;
const everyByte = pinPayload(Uint8Array.from({ length: 256 }, (_, index) => index)).payload;
const noBytes = pinPayload(new Uint8Array()).payload;
const inBlob = pinPayload(new Uint8Array(513)).payload;

/** One row of each table with nothing but the hardest values, and one with the emptiest. */
const hardRows: { readonly [T in TableName]: readonly Rows[T][] } = {
  workflows: [
    workflowRow({
      name: awkward,
      error: awkward,
      versionMajor: largest,
      createdAt: -largest,
      connections: [awkward, ""],
    }),
  ],
  envelopes: [
    envelopeRow(1, { grants: everyByte, setBy: awkward }),
    envelopeRow(2, { grants: inBlob, setAt: largest }),
    envelopeRow(largest, { grants: noBytes }),
  ],
  topics: [
    topicRow("a", { subscriber: null, observed: true, declared: false, lastPendingSeq: 0 }),
    topicRow(awkward, {
      lastPendingSeq: largest,
      schema: { type: "record", fields: { [awkward]: { type: "text", bytesMax: largest } } },
    }),
  ],
  handlers: [
    handlerRow("a", { subscribe: [], publishes: [], state: everyByte, wakeAt: largest }),
    handlerRow("b", { subscribe: [awkward, "", awkward], publishes: null, state: inBlob }),
    handlerRow("c", { publishes: ["x"], catchUp: "skip", onMutationFailed: "replay" }),
    handlerRow("d", { webhook: true, waitingCount: largest, calledAt: 1, start: awkward }),
  ],
  handler_kv: [
    { handler: "a", key: "", value: noBytes },
    { handler: "a", key: awkward, value: everyByte },
  ],
  inputs: [inputRow("a", { title: "" }), inputRow("b", { title: awkward, skippedAt: 0 })],
  events: [
    eventRow("a", { causedBy: [], payload: noBytes, position: largest, revision: largest }),
    eventRow("b", { causedBy: ["b", "a", awkward], payload: inBlob, title: "", createdBy: "r" }),
    eventRow("c", { payload: everyByte, attempt: largest, deliveryCount: 3, lateCount: 4 }),
  ],
  machine_inputs: [
    machineInputRow(1, { body: everyByte }),
    machineInputRow(largest, { body: inBlob, kind: "outcome" }),
  ],
  machine_frames: [
    machineFrameRow(1, { body: noBytes, lastSeq: 7 }),
    machineFrameRow(8, { lastSeq: largest, seq: largest, body: inBlob, snapshot: everyByte }),
  ],
  older_cells: [{ mark: "a" }, { mark: awkward }],
  proposals: [
    proposalRow(1, { description: awkward, changes: [awkward, ""], report: inBlob, waits: true }),
    proposalRow(largest, {
      status: "applied",
      body: everyByte,
      obstacles: noBytes,
      reason: "",
      askedBy: awkward,
      appliedAt: largest,
    }),
  ],
  items: [
    itemRow("a", { title: awkward, mutationId: awkward, older: true, status: "done" }),
    itemRow(awkward, { attempt: largest, touchedSeq: largest, status: "needs_attention" }),
  ],
  event_inputs: [{ inputId: "a", topic: awkward, messageId: awkward }],
  event_uses: [{ topic: awkward, messageId: awkward, usedBy: awkward }],
  runs: [
    runRow("a", {
      version: awkward,
      scriptHash: awkward,
      failure: { class: "logic", message: awkward, location: "" },
      prepareResult: everyByte,
      preparedAt: largest,
      reason: "backoff",
      status: "paused:transient",
      dueAt: 0,
    }),
    runRow("b", { version: "", open: false, retryOf: "a", outcome: "none" }),
  ],
  reservations: [reservationRow("a", awkward, { revision: largest })],
  mutations: [
    mutationRow("a", {
      identity: noBytes,
      payload: inBlob,
      result: everyByte,
      canReconcile: false,
      retentionMs: 0,
      resolution: { kind: "skip", actor: awkward, at: largest },
      approval: {
        payloadHash: "p",
        previewHash: "",
        preview: awkward,
        fourEyes: true,
        expiresAt: largest,
        actor: null,
        approvedAt: null,
      },
      failure: { class: "budget", message: "", location: awkward },
    }),
    mutationRow("b", { runId: "run-2", sendBy: largest, senderEpoch: 0, sendCount: largest }),
  ],
  mutation_evidence: [
    { ...evidenceRow("a", largest), body: everyByte, note: awkward },
    { ...evidenceRow("b", 1), body: null },
  ],
  mutation_inputs: [mutationInputRow(awkward, { attempt: largest })],
  attentions: [attentionRow("a", { answers: [], closedAt: 0, answer: "" }), attentionRow("b")],
  brakes: [brakeRow("*")],
  verdicts: [verdictRow("a", { accepted: false, refusal: "no", note: awkward })],
  skipped_firings: [{ handler: "a", dueAt: largest, seq: largest, firingCount: largest }],
  deliveries: [
    deliveryRow("a", { handler: awkward, deliveryId: awkward, body: everyByte, position: largest }),
    deliveryRow("b", { status: "taken", runId: "r", body: inBlob, receivedAt: largest }),
    deliveryRow("c", { status: "skipped", body: noBytes }),
  ],
};

function inserts<T extends TableName>(table: T): readonly RowChange[] {
  return hardRows[table].map((row) => insertRow(table, row));
}

async function firstThen(store: Store, between: () => Promise<void>): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const row of store.scan("orders", "topics")) {
    if (names.length === 0) await between();
    names.push(row.name);
  }
  return names;
}

const orderCases: readonly StoreCase[] = [
  {
    name: "scans a table in key order: text by code point, numbers by size",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      const names = ["b", "\u{1F600}", "a", "B", "é", "\uFF5E", "a!", "ab"];
      await owner.persist(
        ...names.map((name) => insertRow("topics", topicRow(name))),
        ...[10, 9, 100].map((dueAt) =>
          insertRow("skipped_firings", { handler: "poll", dueAt, seq: 1, firingCount: 1 }),
        ),
        ...[
          ["b", "a"],
          ["a!", "a"],
          ["a", "b"],
          ["a", "a"],
        ].map(([handler = "", key = ""]) =>
          insertRow("handler_kv", { handler, key, value: payloadOf("v") }),
        ),
      );
      const topics = await rowsOf(store, "orders", "topics");
      const order = ["B", "a", "a!", "ab", "b", "é", "\uFF5E", "\u{1F600}"];
      expect(topics.map((row) => row.name)).toEqual(order);
      const firings = await rowsOf(store, "orders", "skipped_firings");
      expect(firings.map((row) => row.dueAt)).toEqual([9, 10, 100]);
      const kv = await rowsOf(store, "orders", "handler_kv");
      expect(kv.map((row) => `${row.handler} ${row.key}`)).toEqual(["a a", "a b", "a! a", "b a"]);
    },
  },
  {
    name: "scans one consistent moment, whatever is committed meanwhile",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      const names = Array.from(
        { length: 300 },
        (_, index) => `t-${String(index).padStart(3, "0")}`,
      );
      await owner.persist(...names.map((name) => insertRow("topics", topicRow(name))));
      const seen = await firstThen(store, async () => {
        await owner.persist(
          deleteRow("topics", ["t-299"]),
          deleteRow("topics", ["t-150"]),
          insertRow("topics", topicRow("zzz")),
        );
      });
      expect(seen).toEqual(names);
      expect(await rowsOf(store, "orders", "topics")).toHaveLength(299);
    },
  },
  {
    name: "scans only the rows whose key begins as asked, in key order",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      const other = await Owner.create(store, "other");
      const evidence = (mutation: string, seq: number) =>
        insertRow("mutation_evidence", evidenceRow(mutation, seq));
      await owner.persist(
        ...["m1", "m2", "m10"].map((id, index) =>
          insertRow("mutations", mutationRow(id, { runId: `r${index}`, mutationKey: id })),
        ),
        ...[10, 9].flatMap((seq) => [evidence("m1", seq), evidence("m10", seq)]),
        evidence("m2", 1),
      );
      await other.persist(insertRow("mutations", mutationRow("m1")), evidence("m1", 7));
      const scanned = async (...under: RowKey) => {
        const names: string[] = [];
        for await (const row of store.scan("orders", "mutation_evidence", under)) {
          names.push(`${row.mutationId} ${row.seq}`);
        }
        return names;
      };
      expect(await scanned("m1")).toEqual(["m1 9", "m1 10"]);
      expect(await scanned("m1", 10)).toEqual(["m1 10"]);
      expect(await scanned("m")).toEqual([]);
      expect(await scanned()).toHaveLength(5);
    },
  },
  {
    name: "can be scanned in part",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      await owner.persist(...["a", "b", "c"].map((name) => insertRow("topics", topicRow(name))));
      for await (const row of store.scan("orders", "topics")) {
        expect(row.name).toBe("a");
        break;
      }
      await owner.persist(deleteRow("topics", ["b"]));
      expect(await rowsOf(store, "orders", "topics")).toHaveLength(2);
    },
  },
];

function rowKey(table: TableName, row: object): RowKey {
  const columns: readonly string[] = tables[table].key;
  return columns.map((column) => (row as Readonly<Record<string, string | number>>)[column] ?? "");
}

export const scanCases: readonly StoreCase[] = [
  ...tableNames.map(
    (table): StoreCase => ({
      name: `gives back every value of ${table} exactly as it was written, scanned and by key`,
      run: async ({ store }) => {
        const owner = await Owner.create(store);
        await owner.persist(...inserts(table));
        expect(await rowsOf(store, "orders", table)).toStrictEqual(hardRows[table]);
        for (const row of hardRows[table]) {
          const need: Need = { kind: "row", table, key: rowKey(table, row) };
          const { rows } = await store.load("orders", [need]);
          expect(rows).toStrictEqual([{ table, row }]);
        }
      },
    }),
  ),
  {
    name: "gives back every value set by an update exactly as it was written",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      const set = {
        state: everyByte,
        subscribe: [awkward],
        publishes: [],
        wakeAt: largest,
        declared: false,
      };
      await owner.persist(
        insertRow("handlers", handlerRow("a")),
        updateRow("handlers", ["a"], set),
      );
      expect(await rowsOf(store, "orders", "handlers")).toStrictEqual([handlerRow("a", set)]);
      const cleared = { state: null, publishes: null, wakeAt: null };
      await owner.persist(updateRow("handlers", ["a"], cleared));
      expect(await rowsOf(store, "orders", "handlers")).toStrictEqual([
        handlerRow("a", { ...set, ...cleared }),
      ]);
    },
  },
  {
    name: "is not changed by a caller who changes a row it gave or got",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      const inline = Buffer.from([1, 2, 3]);
      const payload = pinPayload(inline).payload;
      const causedBy = ["in-1"];
      const row = eventRow("m-1", { payload, causedBy });
      await owner.persist(insertRow("events", row));
      row.status = "skipped";
      causedBy.push("in-2");
      inline.fill(9);
      const read = async () => (await store.peek("orders", "orders", 1)).events[0];
      const got = await read();
      expect(got).toMatchObject({ status: "pending", causedBy: ["in-1"] });
      expect(got?.payload.inline).toEqual(Uint8Array.from([1, 2, 3]));
      got?.payload.inline?.fill(7);
      expect((await read())?.payload.inline).toEqual(Uint8Array.from([1, 2, 3]));
    },
  },
  ...orderCases,
];
