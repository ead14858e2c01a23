import { type EventRow, insertRow, type Rows, type TopicRow, updateRow } from "@holdfast/core";
import { expect } from "vitest";
import { type WordTable, wordColumns } from "../words.ts";
import { Owner } from "./change-builder.ts";
import { expectRefusal, expectRefused } from "./expectation.ts";
import {
  attentionRow,
  deliveryRow,
  eventRow,
  evidenceRow,
  handlerRow,
  itemRow,
  machineInputRow,
  mutationRow,
  payloadOf,
  proposalRow,
  runRow,
  topicRow,
  workflowRow,
} from "./row-builder.ts";
import type { StoreCase } from "./store-case.ts";

/** The types would stop these; the store stands behind the types. */
const misfitsOfEvent: Readonly<Record<string, readonly unknown[]>> = {
  position: ["1", 1.5, Number.NaN, 2 ** 53, 1n, true],
  title: [1, true, new Uint8Array(), "\uD800"],
  causedBy: ["a", { a: 1 }, ["\uD800"]],
  payload: ["a", {}, { ...payloadOf("a"), hash: 1 }, { ...payloadOf("a"), inline: "a" }],
};

/** A row of every table that has a column of words. */
const rowsWithWords: { readonly [T in WordTable]: Rows[T] } = {
  workflows: workflowRow(),
  events: eventRow("m-1"),
  runs: runRow("run-1"),
  mutations: mutationRow("mutation-1"),
  deliveries: deliveryRow("d"),
  items: itemRow("i"),
  machine_inputs: machineInputRow(1),
  proposals: proposalRow(1),
  handlers: handlerRow("book"),
  attentions: attentionRow("a"),
  mutation_evidence: evidenceRow("mutation-1", 1),
};

export const valueCases: readonly StoreCase[] = [
  {
    name: "refuses null or nothing where the column always has a value",
    guards: "value_fits_column",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      await owner.persist(insertRow("topics", topicRow("orders")));
      // The type would stop these; the store stands behind the type.
      const noNumber = { lastPendingSeq: null } as unknown as { lastPendingSeq: number };
      const nothing = { subscriber: undefined } as unknown as { subscriber: null };
      const noFlag = { declared: undefined } as unknown as { declared: boolean };
      for (const row of [
        insertRow("topics", topicRow("new", noNumber)),
        insertRow("topics", topicRow("new", nothing)),
        insertRow("topics", topicRow("new", noFlag)),
        updateRow("topics", ["orders"], noNumber),
        updateRow("topics", ["orders"], nothing),
        updateRow("topics", ["orders"], noFlag),
      ]) {
        await expectRefusal(store, owner, { constraint: "value_fits_column", rows: [row] });
      }
    },
  },
  {
    name: "refuses a value of another kind than its column",
    guards: "value_fits_column",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      await owner.persist(
        insertRow("events", eventRow("m-1")),
        insertRow("handlers", handlerRow("book")),
        insertRow("runs", runRow("run-1")),
      );
      for (const [column, values] of Object.entries(misfitsOfEvent)) {
        for (const value of values) {
          const set = { [column]: value } as unknown as Partial<EventRow>;
          for (const row of [
            insertRow("events", eventRow("m-2", set)),
            updateRow("events", ["orders", "m-1"], set),
          ]) {
            await expectRefusal(store, owner, { constraint: "value_fits_column", rows: [row] });
          }
        }
      }
      for (const row of [
        updateRow("handlers", ["book"], { declared: 1 as unknown as boolean }),
        updateRow("handlers", ["book"], { subscribe: "orders" as unknown as string[] }),
        updateRow("handlers", ["book"], { subscribe: [1] as unknown as string[] }),
        updateRow("runs", ["run-1"], { failure: "logic" as unknown as null }),
        insertRow("events", { ...eventRow("m-2"), messageId: "m-\uD800" }),
        updateRow("events", ["orders", "m-\uD800"], { lateCount: 1 }),
      ]) {
        await expectRefusal(store, owner, { constraint: "value_fits_column", rows: [row] });
      }
    },
  },
  {
    name: "refuses a column that the table does not have, alone and in a group",
    guards: "column_known",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      await owner.persist(insertRow("topics", topicRow("orders")));
      const unknown = { colour: "red" } as unknown as Partial<TopicRow>;
      const rows = [
        updateRow("topics", ["orders"], unknown),
        insertRow("topics", topicRow("new", unknown)),
      ];
      for (const row of rows) {
        await expectRefusal(store, owner, { constraint: "column_known", rows: [row] });
      }
      const other = await Owner.create(store, "other");
      const changes = rows.map((row) => owner.change({ rows: [row] }));
      const answers = await store.commit([...changes, other.change()]);
      expectRefused(answers[0], "column_known");
      expectRefused(answers[1], "column_known");
      expect(answers[2]).toEqual({ kind: "committed", head: 1 });
    },
  },
  {
    name: "refuses a status or kind that is no word of the core, in every such column",
    guards: "word_known",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      for (const [table, column] of wordColumns) {
        const row = { ...rowsWithWords[table], [column]: "strange" };
        await expectRefusal(store, owner, {
          constraint: "word_known",
          rows: [insertRow(table, row as Rows[WordTable])],
        });
      }
    },
  },
  {
    name: "refuses a changed kind or reason that is no word of the core",
    guards: "word_known",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      await owner.persist(
        insertRow("runs", runRow("run-1")),
        insertRow("handlers", handlerRow("book")),
      );
      const noWord = "strange" as never;
      for (const row of [
        updateRow("runs", ["run-1"], { reason: noWord }),
        updateRow("runs", ["run-1"], { outcome: noWord }),
        updateRow("handlers", ["book"], { catchUp: noWord }),
      ]) {
        await expectRefusal(store, owner, { constraint: "word_known", rows: [row] });
      }
    },
  },
];
