import {
  deleteRow,
  insertRow,
  itemStatusEdges,
  itemStatuses,
  keyOf,
  type MutationRow,
  type RowChange,
  type TableRow,
  updateRow,
} from "@holdfast/core";
import { expect } from "vitest";
import { Owner } from "./change-builder.ts";
import { expectRefusal } from "./expectation.ts";
import { handlerRow, itemRow, mutationRow, runRow, workflowRow } from "./row-builder.ts";
import type { StoreCase } from "./store-case.ts";

/** A call of item-1, in a job's run. */
function itemCall(mutationId: string, set: Partial<MutationRow> = {}): RowChange {
  return insertRow("mutations", mutationRow(mutationId, { itemId: "item-1", ...set }));
}

function settle(mutationId: string, state: "applied" | "failed"): readonly RowChange[] {
  return [
    updateRow("mutations", [mutationId], { state: "in_flight" }),
    updateRow("mutations", [mutationId], { state }),
  ];
}

const skipped = { kind: "skip", actor: "ada", at: 1 } as const;

function nameOf({ table, row }: TableRow): string {
  return `${table} ${keyOf(table, row)}`.trim();
}

/** What keeps an item's outside changes apart, whatever the core asks. */
export const itemCases: readonly StoreCase[] = [
  {
    name: "lets an item change its status along the core's edges only [L6]",
    guards: "item_edge",
    run: async ({ store }) => {
      const wrong: string[] = [];
      for (const from of itemStatuses) {
        for (const to of itemStatuses) {
          const owner = await Owner.create(store, `${from} to ${to}`);
          await owner.persist(insertRow("items", itemRow("item-1", { status: from })));
          const step = updateRow("items", ["item-1"], { status: to });
          const answer = await owner.commit({ rows: [step] });
          const expected = itemStatusEdges[from].includes(to) ? "committed" : "item_edge";
          const got = answer.kind === "refused" ? answer.constraint : answer.kind;
          if (got !== expected) wrong.push(`${from} → ${to}: ${got}, expected ${expected}`);
        }
      }
      expect(wrong).toEqual([]);
    },
  },
  {
    name: "keeps every item",
    guards: "items_kept",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      await owner.persist(insertRow("items", itemRow("item-1")));
      const rows = [deleteRow("items", ["item-1"])];
      await expectRefusal(store, owner, { constraint: "items_kept", rows });
    },
  },
  {
    name: "refuses a second unsettled mutation of a job's run or of an item [L3]",
    guards: "one_live_mutation",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      await owner.persist(itemCall("mutation-1"));
      for (const second of [
        itemCall("mutation-2", { itemId: "item-2" }),
        itemCall("mutation-2", { runId: "run-2" }),
      ]) {
        await expectRefusal(store, owner, { constraint: "one_live_mutation", rows: [second] });
      }
      await owner.persist(...settle("mutation-1", "applied"), itemCall("mutation-2"));
      await owner.persist(
        updateRow("mutations", ["mutation-2"], { state: "in_flight" }),
        updateRow("mutations", ["mutation-2"], { state: "indeterminate" }),
      );
      const third = itemCall("mutation-3");
      await expectRefusal(store, owner, { constraint: "one_live_mutation", rows: [third] });
      await owner.persist(updateRow("mutations", ["mutation-2"], { resolution: skipped }), third);
    },
  },
  {
    name: "refuses a second mutation with the same key in an item unless the first failed [R78]",
    guards: "item_mutation_once",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      const again = itemCall("mutation-2", { runId: "run-2", mutationKey: "key-mutation-1" });
      await owner.persist(itemCall("mutation-1"), ...settle("mutation-1", "applied"));
      await expectRefusal(store, owner, { constraint: "item_mutation_once", rows: [again] });
      await owner.persist(itemCall("other", { itemId: "item-2" }), ...settle("other", "failed"));
      const retried = { itemId: "item-2", mutationKey: "key-other" };
      await owner.persist(itemCall("other-2", retried));
    },
  },
  {
    name: "refuses to move a mutation to another item, attempt or key",
    guards: "item_mutation_once",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      await owner.persist(itemCall("mutation-1"));
      for (const set of [{ itemId: "item-2" }, { attempt: 2 }, { mutationKey: "other" }]) {
        const rows = [updateRow("mutations", ["mutation-1"], set)];
        await expectRefusal(store, owner, { constraint: "item_mutation_once", rows });
      }
    },
  },
  {
    name: "loads an item with the mutations of its current attempt, and a job's run lightly",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      await owner.persist(
        insertRow("workflows", workflowRow()),
        insertRow("handlers", handlerRow("tidy", { kind: "job", subscribe: [] })),
        insertRow("items", itemRow("item-1", { attempt: 2 })),
        insertRow("items", itemRow("item-2")),
        insertRow("runs", runRow("run-1", { kind: "job", phase: "executing" })),
        itemCall("old"),
        ...settle("old", "applied"),
        itemCall("first", { attempt: 2 }),
        ...settle("first", "failed"),
        itemCall("second", { attempt: 2 }),
        ...settle("second", "applied"),
        itemCall("elsewhere", { itemId: "item-2" }),
        updateRow("runs", ["run-1"], { itemId: "item-1", mutationId: "elsewhere" }),
      );
      const item = await store.load("orders", [{ kind: "item", itemId: "item-1" }]);
      expect(item.rows.map(nameOf).sort()).toEqual([
        "items item-1",
        "mutations first",
        "mutations second",
      ]);
      const all = { kind: "item", itemId: "item-1", everyAttempt: true } as const;
      const history = await store.load("orders", [all]);
      expect(history.rows.map(nameOf).sort()).toEqual([
        "items item-1",
        "mutations first",
        "mutations old",
        "mutations second",
      ]);
      const none = await store.load("orders", [{ kind: "item", itemId: "nobody" }]);
      expect(none.rows).toEqual([]);
      const base = await store.load("orders", [{ kind: "base" }]);
      expect(base.rows.map(nameOf).sort()).toEqual([
        "handlers tidy",
        "items item-1",
        "mutations elsewhere",
        "runs run-1",
        "workflows",
      ]);
    },
  },
];
