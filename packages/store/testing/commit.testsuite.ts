import {
  deleteRow,
  encodeCanonical,
  factVersion,
  genesisHash,
  insertRow,
  pinPayload,
  type RowChange,
  updateRow,
} from "@holdfast/core";
import { expect } from "vitest";
import { Owner, only, someFact } from "./change-builder.ts";
import { everythingOf, expectHostError, expectRefused } from "./expectation.ts";
import {
  eventRow,
  handlerRow,
  inputRow,
  reservationRow,
  runRow,
  topicRow,
  workflowRow,
} from "./row-builder.ts";
import type { StoreCase } from "./store-case.ts";
import { rowsOf } from "./table-reader.ts";

const doubledRow = insertRow("topics", topicRow("orders"));

/** Everything R31 wants in one transaction, ending in whatever the case adds. */
function prepared(last: readonly RowChange[]): readonly RowChange[] {
  const prepareResult = pinPayload(encodeCanonical({ order: 1 })).payload;
  return [
    updateRow("runs", ["run-1"], { phase: "prepared", prepareResult, preparedAt: 5 }),
    insertRow("reservations", reservationRow("run-1", "m-1")),
    updateRow("events", ["orders", "m-1"], { status: "reserved", reservedBy: "run-1" }),
    updateRow("handlers", ["book"], { wakeAt: 99 }),
    ...last,
  ];
}

async function ownerBeforePrepare(store: Parameters<StoreCase["run"]>[0]["store"]): Promise<Owner> {
  const owner = await Owner.create(store);
  await owner.persist(
    insertRow("topics", topicRow("orders")),
    insertRow("handlers", handlerRow("book")),
    insertRow("events", eventRow("m-1")),
    insertRow("runs", runRow("run-1")),
  );
  return owner;
}

export const commitCases: readonly StoreCase[] = [
  {
    name: "moves the head by the number of records",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      expect(await owner.commit({ facts: [someFact, someFact, someFact], at: 12 })).toEqual({
        kind: "committed",
        head: 3,
      });
      const loaded = await store.load("orders", []);
      expect(loaded.head).toEqual({ ...owner.head, at: 12 });
      expect(loaded.workflow).toBe("orders");
    },
  },
  {
    name: "commits rows without a record and leaves the head where it was",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      await owner.persist();
      const answer = await owner.commit({ facts: [], rows: [doubledRow] });
      expect(answer).toEqual({ kind: "committed", head: 1 });
      expect(await rowsOf(store, "orders", "topics")).toHaveLength(1);
    },
  },
  {
    name: "answers conflict with the real head when the decision was made on an older one",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      const stale = owner.head;
      await owner.persist(doubledRow);
      await owner.persist();
      const before = await everythingOf(store, owner);
      const answer = await owner.commit({
        onHead: stale,
        rows: [insertRow("topics", topicRow("late"))],
        dueAt: 1,
      });
      expect(answer).toEqual({ kind: "conflict", head: 2 });
      expect(await everythingOf(store, owner)).toEqual(before);
    },
  },
  {
    name: "answers conflict when the decision was made on a head that is not there yet",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      const answer = await owner.commit({ onHead: { seq: 4, hash: genesisHash } });
      expect(answer).toEqual({ kind: "conflict", head: 0 });
      expect(await store.readJournal("orders", 0, 10)).toEqual([]);
    },
  },
  {
    name: "answers lease_lost to an epoch before or after the real one, and writes nothing",
    run: async ({ store, clock }) => {
      const owner = await Owner.create(store);
      await owner.persistChange({ dueAt: clock.now() });
      const staleEpoch = owner.epoch;
      await store.openHost({ incarnation: "host-2", leaseMs: 1000 });
      const claim = only((await store.claim("host-2", 1)).claims);
      const before = await everythingOf(store, owner);
      for (const epoch of [staleEpoch, claim.epoch + 1]) {
        const answer = await owner.commit({ epoch, rows: [doubledRow], dueAt: 1 });
        expect(answer).toEqual({ kind: "lease_lost" });
      }
      expect(await everythingOf(store, owner)).toEqual(before);
      expect((await owner.commit({ epoch: claim.epoch })).kind).toBe("committed");
    },
  },
  {
    name: "answers lease_lost, not conflict, when both epoch and head are stale",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      const stale = owner.head;
      await owner.persist();
      const answer = await owner.commit({ epoch: owner.epoch + 1, onHead: stale });
      expect(answer).toEqual({ kind: "lease_lost" });
    },
  },
  {
    name: "writes result, reservations, wake time and phase of a prepared run together [R31]",
    run: async ({ store }) => {
      const owner = await ownerBeforePrepare(store);
      await owner.persist(...prepared([]));
      expect(await rowsOf(store, "orders", "runs")).toMatchObject([{ phase: "prepared" }]);
      expect(await rowsOf(store, "orders", "reservations")).toHaveLength(1);
      expect(await rowsOf(store, "orders", "events")).toMatchObject([{ status: "reserved" }]);
      expect(await rowsOf(store, "orders", "handlers")).toMatchObject([{ wakeAt: 99 }]);
    },
  },
  {
    name: "leaves nothing of a prepared run whose last row is refused [R31]",
    run: async ({ store }) => {
      const owner = await ownerBeforePrepare(store);
      const before = await everythingOf(store, owner);
      const answer = await owner.commit({ rows: prepared([doubledRow]), dueAt: 1 });
      expectRefused(answer, "row_exists");
      expect(await everythingOf(store, owner)).toEqual(before);
    },
  },
  {
    name: "leaves no record, row, blob, due time, fact version or hint of a refused change",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      await owner.persist(
        doubledRow,
        insertRow("topics", topicRow("other")),
        insertRow("events", eventRow("low", { position: 1 })),
        insertRow("events", eventRow("high", { position: 9 })),
        insertRow("inputs", inputRow("in-1")),
        insertRow("handler_kv", { handler: "poll", key: "k", value: eventRow("v").payload }),
        insertRow("events", eventRow("done", { topic: "other", status: "consumed" })),
      );
      const before = await everythingOf(store, owner);
      const { blob } = pinPayload(new Uint8Array(600).fill(7));
      if (blob === null) throw new Error("600 bytes are a blob");
      const answer = await owner.commit({
        rows: [
          insertRow("events", eventRow("new", { position: 2 })),
          updateRow("events", ["orders", "low"], { status: "skipped" }),
          deleteRow("inputs", ["in-1"]),
          { op: "clear_kv", handler: "poll" },
          { op: "reopen_topic", topic: "other", revision: 2 },
          doubledRow,
        ],
        blobs: [blob],
        dueAt: 1,
        settledBelow: [{ topic: "orders", position: 9 }],
        version: factVersion + 1,
      });
      expectRefused(answer, "row_exists");
      expect(await everythingOf(store, owner)).toEqual(before);
      await expectHostError(() => store.loadBlob("orders", blob.hash), "BLOB_MISSING");
    },
  },
  {
    name: "keeps every committed change when it is opened again, and nothing of a refused one",
    needsReopen: true,
    run: async ({ store, reopen }) => {
      const owner = await Owner.create(store);
      await owner.persist(doubledRow, insertRow("workflows", workflowRow()));
      await owner.commit({ rows: [insertRow("topics", topicRow("lost")), doubledRow] });
      const before = await everythingOf(store, owner);
      expect(await everythingOf(await reopen(), owner)).toEqual(before);
    },
  },
];
