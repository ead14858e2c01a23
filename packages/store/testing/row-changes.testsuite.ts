import { deleteRow, insertRow, updateRow } from "@holdfast/core";
import { expect } from "vitest";
import { Owner, someFact } from "./change-builder.ts";
import { everythingOf, expectRefusal, expectRefused } from "./expectation.ts";
import { eventRow, reservationRow, runRow, topicRow, workflowRow } from "./row-builder.ts";
import { runBehindMutation } from "./row-sequence.ts";
import type { StoreCase } from "./store-case.ts";
import { rowsOf } from "./table-reader.ts";

const executedRows: readonly StoreCase[] = [
  {
    name: "executes row changes in order, each seeing the ones before it",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      await owner.persist(
        insertRow("topics", topicRow("a")),
        updateRow("topics", ["a"], { lastPendingSeq: 5 }),
        updateRow("topics", ["a"], { subscriber: null }),
        insertRow("topics", topicRow("b")),
        deleteRow("topics", ["b"]),
        insertRow("topics", topicRow("b", { lastPendingSeq: 7 })),
      );
      expect(await rowsOf(store, "orders", "topics")).toEqual([
        topicRow("a", { lastPendingSeq: 5, subscriber: null }),
        topicRow("b", { lastPendingSeq: 7 }),
      ]);
    },
  },
  {
    name: "reopens every consumed and skipped event of the topic and no other [R149]",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      const consumed = eventRow("a", { status: "consumed", attempt: 3 });
      const skipped = eventRow("b", { status: "skipped", position: 2 });
      const pending = eventRow("c", { position: 3 });
      const held = eventRow("d", { position: 4 });
      const elsewhere = eventRow("a", { topic: "other", status: "consumed" });
      await owner.persist(
        insertRow("runs", runRow("run-1")),
        ...[consumed, skipped, pending, held, elsewhere].map((row) => insertRow("events", row)),
        insertRow("reservations", reservationRow("run-1", "d")),
        updateRow("events", ["orders", "d"], { status: "reserved", reservedBy: "run-1" }),
      );
      await owner.persist({ op: "reopen_topic", topic: "orders", revision: 2 });
      expect(await rowsOf(store, "orders", "events")).toEqual([
        { ...consumed, status: "pending", attempt: 4, revision: 2 },
        { ...skipped, status: "pending", attempt: 2, revision: 2 },
        pending,
        { ...held, status: "reserved", reservedBy: "run-1" },
        elsewhere,
      ]);
    },
  },
  {
    name: "clears what one handler kept and nothing of another [R149]",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      const value = eventRow("v").payload;
      await owner.persist(
        insertRow("handler_kv", { handler: "poll", key: "a", value }),
        insertRow("handler_kv", { handler: "poll", key: "b", value }),
        insertRow("handler_kv", { handler: "polls", key: "a", value }),
      );
      await owner.persist({ op: "clear_kv", handler: "poll" });
      await owner.persist({ op: "clear_kv", handler: "nobody" });
      expect(await rowsOf(store, "orders", "handler_kv")).toEqual([
        { handler: "polls", key: "a", value },
      ]);
    },
  },
];

const refusedRows: readonly StoreCase[] = [
  {
    name: "refuses records that do not follow the head one by one",
    guards: "records_contiguous",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      await owner.persist();
      const before = await everythingOf(store, owner);
      const change = owner.change({ facts: [someFact, someFact, someFact] });
      const [first, second, third] = change.records;
      if (!first || !second || !third) throw new Error("three records were sealed");
      for (const records of [[second], [first, third], [first, first], [second, first]]) {
        const [answer] = await store.commit([{ ...change, records }]);
        expectRefused(answer, "records_contiguous");
      }
      expect(await everythingOf(store, owner)).toEqual(before);
    },
  },
  {
    name: "refuses a second event with the same topic and message id [R10]",
    guards: "row_exists",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      await owner.persist(
        insertRow("events", eventRow("m-1")),
        insertRow("events", eventRow("m-1", { topic: "other" })),
      );
      await expectRefusal(store, owner, {
        constraint: "row_exists",
        rows: [insertRow("events", eventRow("m-1", { position: 2 }))],
      });
    },
  },
  {
    name: "refuses a second workflow row",
    guards: "row_exists",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      await owner.persist(insertRow("workflows", workflowRow()));
      await expectRefusal(store, owner, {
        constraint: "row_exists",
        rows: [insertRow("workflows", workflowRow({ versionMajor: 2 }))],
      });
    },
  },
  {
    name: "lets two workflows use the same keys",
    run: async ({ store }) => {
      for (const workflow of ["a", "b"]) {
        const owner = await Owner.create(store, workflow);
        await owner.persist(...runBehindMutation("run-1", "m-1"));
        expect(await rowsOf(store, workflow, "events")).toHaveLength(1);
      }
    },
  },
  {
    name: "refuses to update a row that is not there",
    guards: "row_missing",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      await expectRefusal(store, owner, {
        constraint: "row_missing",
        rows: [updateRow("topics", ["orders"], { declared: false })],
      });
    },
  },
  {
    name: "refuses to delete a row that is not there",
    guards: "row_missing",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      await owner.persist(insertRow("topics", topicRow("orders")));
      await owner.persist(deleteRow("topics", ["orders"]));
      await expectRefusal(store, owner, {
        constraint: "row_missing",
        rows: [deleteRow("topics", ["orders"])],
      });
    },
  },
  {
    name: "refuses to delete many rows of which one is not there, and keeps the others",
    guards: "row_missing",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      const names = Array.from({ length: 40 }, (_, at) => `topic-${at}`);
      await owner.persist(...names.map((name) => insertRow("topics", topicRow(name))));
      await owner.persist(deleteRow("topics", ["topic-20"]));
      await expectRefusal(store, owner, {
        constraint: "row_missing",
        rows: names.map((name) => deleteRow("topics", [name])),
      });
      const left = names.filter((name) => name !== "topic-20");
      expect(await rowsOf(store, "orders", "topics")).toHaveLength(left.length);
      await owner.persist(...left.slice(1).map((name) => deleteRow("topics", [name])));
      expect(await rowsOf(store, "orders", "topics")).toEqual([topicRow("topic-0")]);
    },
  },
  {
    name: "refuses to delete a row twice in one change",
    guards: "row_missing",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      await owner.persist(insertRow("topics", topicRow("a")), insertRow("topics", topicRow("b")));
      await expectRefusal(store, owner, {
        constraint: "row_missing",
        rows: ["a", "b", "a"].map((name) => deleteRow("topics", [name])),
      });
    },
  },
  {
    name: "refuses to change the key of a row",
    guards: "key_fixed",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      await owner.persist(insertRow("topics", topicRow("orders")));
      await expectRefusal(store, owner, {
        constraint: "key_fixed",
        rows: [updateRow("topics", ["orders"], { name: "renamed" })],
      });
    },
  },
];

export const rowChangeCases: readonly StoreCase[] = [...executedRows, ...refusedRows];
