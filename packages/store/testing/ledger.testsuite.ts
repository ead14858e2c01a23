import { deleteRow, insertRow, updateRow } from "@holdfast/core";
import { expect } from "vitest";
import { Owner } from "./change-builder.ts";
import { expectRefusal } from "./expectation.ts";
import { eventRow, mutationInputRow, mutationRow } from "./row-builder.ts";
import { runBehindMutation } from "./row-sequence.ts";
import type { StoreCase } from "./store-case.ts";
import { rowsOf } from "./table-reader.ts";

const event = ["orders", "m-1"] as const;

export const ledgerCases: readonly StoreCase[] = [
  {
    name: "refuses to release an event while a mutation is behind it [R156]",
    guards: "event_behind_mutation",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      await owner.persist(...runBehindMutation("run-1", "m-1"));
      const release = updateRow("events", event, { status: "pending", reservedBy: null });
      const constraint = "event_behind_mutation";
      await expectRefusal(store, owner, { constraint, rows: [release] });
      await owner.persist(
        updateRow("mutations", ["mutation-1"], { state: "failed" }),
        deleteRow("mutation_inputs", ["book", "orders", "m-1", 1]),
        release,
      );
    },
  },
  {
    name: "refuses to put a mutation behind an event that is pending [R156]",
    guards: "event_behind_mutation",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      await owner.persist(insertRow("events", eventRow("m-1")));
      await expectRefusal(store, owner, {
        constraint: "event_behind_mutation",
        rows: [insertRow("mutation_inputs", mutationInputRow("m-1"))],
      });
    },
  },
  {
    name: "refuses to reopen a consumed event at the attempt it was mutated with [R156]",
    guards: "event_behind_mutation",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      await owner.persist(...runBehindMutation("run-1", "m-1"));
      await owner.persist(updateRow("events", event, { status: "consumed", reservedBy: null }));
      await expectRefusal(store, owner, {
        constraint: "event_behind_mutation",
        rows: [updateRow("events", event, { status: "pending" })],
      });
      await owner.persist(updateRow("events", event, { status: "pending", attempt: 2 }));
    },
  },
  {
    name: "refuses to take a mutation off its event before it has failed [R156]",
    guards: "mutation_inputs_kept",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      await owner.persist(...runBehindMutation("run-1", "m-1"));
      const off = deleteRow("mutation_inputs", ["book", "orders", "m-1", 1]);
      for (const state of ["in_flight", "needs_reconcile", "indeterminate"] as const) {
        await owner.persist(updateRow("mutations", ["mutation-1"], { state }));
        await expectRefusal(store, owner, { constraint: "mutation_inputs_kept", rows: [off] });
      }
      await owner.persist(updateRow("mutations", ["mutation-1"], { state: "failed" }), off);
    },
  },
  {
    name: "refuses to point a mutation's guard at another mutation [R156]",
    guards: "mutation_inputs_kept",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      await owner.persist(...runBehindMutation("run-1", "m-1"));
      const guard = ["book", "orders", "m-1", 1];
      for (const mutationId of ["unknown", "mutation-1"]) {
        await expectRefusal(store, owner, {
          constraint: "mutation_inputs_kept",
          rows: [updateRow("mutation_inputs", guard, { mutationId })],
        });
      }
    },
  },
  {
    name: "refuses to take the guard of a mutation that is not in the ledger off its event [R156]",
    guards: "mutation_inputs_kept",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      await owner.persist(
        insertRow("mutation_inputs", mutationInputRow("m-1", { mutationId: "unknown" })),
      );
      await expectRefusal(store, owner, {
        constraint: "mutation_inputs_kept",
        rows: [deleteRow("mutation_inputs", ["book", "orders", "m-1", 1])],
      });
    },
  },
  {
    name: "refuses to delete a row of the ledger",
    guards: "mutations_kept",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      await owner.persist(insertRow("mutations", mutationRow("mutation-1", { state: "failed" })));
      await expectRefusal(store, owner, {
        constraint: "mutations_kept",
        rows: [deleteRow("mutations", ["mutation-1"])],
      });
    },
  },
  {
    name: "refuses a second mutation behind one attempt of one event [R156]",
    guards: "mutation_inputs_once",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      await owner.persist(...runBehindMutation("run-1", "m-1"));
      await expectRefusal(store, owner, {
        constraint: "mutation_inputs_once",
        rows: [insertRow("mutation_inputs", mutationInputRow("m-1", { mutationId: "mutation-2" }))],
      });
      await owner.persist(insertRow("mutation_inputs", mutationInputRow("m-1", { attempt: 2 })));
    },
  },
  {
    name: "refuses a second mutation of a run while the first has not failed [R62]",
    guards: "one_live_mutation",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      await owner.persist(insertRow("mutations", mutationRow("mutation-1")));
      const second = insertRow("mutations", mutationRow("mutation-2", { callNo: 2 }));
      await expectRefusal(store, owner, { constraint: "one_live_mutation", rows: [second] });
      await owner.persist(updateRow("mutations", ["mutation-1"], { state: "in_flight" }));
      await owner.persist(updateRow("mutations", ["mutation-1"], { state: "applied" }));
      await expectRefusal(store, owner, { constraint: "one_live_mutation", rows: [second] });
    },
  },
  {
    name: "refuses to move a mutation to another run",
    guards: "one_live_mutation",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      await owner.persist(insertRow("mutations", mutationRow("mutation-1")));
      await expectRefusal(store, owner, {
        constraint: "one_live_mutation",
        rows: [updateRow("mutations", ["mutation-1"], { runId: "run-2" })],
      });
    },
  },
  {
    name: "lets a run call again after its mutation failed",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      await owner.persist(
        insertRow("mutations", mutationRow("mutation-1")),
        insertRow("mutations", mutationRow("mutation-other", { runId: "run-0" })),
        updateRow("mutations", ["mutation-1"], { state: "failed" }),
        insertRow("mutations", mutationRow("mutation-2", { callNo: 2 })),
      );
      expect(await rowsOf(store, "orders", "mutations")).toHaveLength(3);
    },
  },
];
