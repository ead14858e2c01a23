import { deleteRow, insertRow, updateRow } from "@holdfast/core";
import { expect } from "vitest";
import { Owner } from "./change-builder.ts";
import { expectRefusal } from "./expectation.ts";
import { eventRow, reservationRow, runRow } from "./row-builder.ts";
import { reserve, runBehindMutation } from "./row-sequence.ts";
import type { StoreCase } from "./store-case.ts";

const event = ["orders", "m-1"] as const;

const runCases: readonly StoreCase[] = [
  {
    name: "refuses a second open run [R55]",
    guards: "one_open_run",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      await owner.persist(insertRow("runs", runRow("run-1")));
      await expectRefusal(store, owner, {
        constraint: "one_open_run",
        rows: [insertRow("runs", runRow("run-2", { handler: "ship" }))],
      });
      await owner.persist(
        updateRow("runs", ["run-1"], { open: false, status: "aborted" }),
        insertRow("runs", runRow("run-2")),
      );
      await expectRefusal(store, owner, {
        constraint: "one_open_run",
        rows: [updateRow("runs", ["run-1"], { open: true })],
      });
    },
  },
  {
    name: "refuses to retry a run twice [R52]",
    guards: "retry_once",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      await owner.persist(
        insertRow("runs", runRow("run-1", { open: false, status: "failed:logic" })),
        insertRow("runs", runRow("run-2", { open: false, retryOf: "run-1" })),
        insertRow("runs", runRow("run-3", { open: false })),
      );
      await expectRefusal(store, owner, {
        constraint: "retry_once",
        rows: [insertRow("runs", runRow("run-4", { retryOf: "run-1" }))],
      });
    },
  },
  {
    name: "refuses to close a run that still holds an event",
    guards: "run_closes_without_events",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      await owner.persist(
        insertRow("events", eventRow("m-1")),
        insertRow("runs", runRow("run-1")),
        ...reserve("run-1", "m-1"),
      );
      const close = updateRow("runs", ["run-1"], { open: false, status: "aborted" });
      await expectRefusal(store, owner, { constraint: "run_closes_without_events", rows: [close] });
      await owner.persist(
        updateRow("events", event, { status: "pending", reservedBy: null }),
        close,
      );
    },
  },
  {
    name: "lets a retry run take over events, row by row",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      await owner.persist(...runBehindMutation("run-1", "m-1"));
      await owner.persist(
        insertRow("reservations", reservationRow("run-2", "m-1")),
        updateRow("events", event, { reservedBy: "run-2" }),
        updateRow("runs", ["run-1"], { open: false, supersededBy: "run-2" }),
        insertRow("runs", runRow("run-2", { retryOf: "run-1", phase: "emitting" })),
      );
      const loaded = await store.load("orders", [{ kind: "base" }]);
      expect(loaded.rows).toContainEqual({
        table: "events",
        row: eventRow("m-1", { status: "reserved", reservedBy: "run-2" }),
      });
    },
  },
];

const eventCases: readonly StoreCase[] = [
  {
    name: "refuses an event that is reserved by nobody, or held and not reserved",
    guards: "event_reserved_iff_held",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      const constraint = "event_reserved_iff_held";
      await owner.persist(
        insertRow("runs", runRow("run-1")),
        insertRow("events", eventRow("m-1")),
        insertRow("reservations", reservationRow("run-1", "m-1")),
      );
      for (const row of [
        updateRow("events", event, { status: "reserved" }),
        updateRow("events", event, { reservedBy: "run-1" }),
        insertRow("events", eventRow("m-2", { status: "reserved" })),
      ]) {
        await expectRefusal(store, owner, { constraint, rows: [row] });
      }
      await owner.persist(updateRow("events", event, { status: "reserved", reservedBy: "run-1" }));
      for (const row of [
        updateRow("events", event, { status: "consumed" }),
        updateRow("events", event, { reservedBy: null }),
      ]) {
        await expectRefusal(store, owner, { constraint, rows: [row] });
      }
    },
  },
  {
    name: "refuses to delete an event, whatever its status [R11]",
    guards: "events_kept",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      for (const status of ["pending", "consumed", "skipped"] as const) {
        await owner.persist(insertRow("events", eventRow(status, { status })));
        await expectRefusal(store, owner, {
          constraint: "events_kept",
          rows: [deleteRow("events", ["orders", status])],
        });
      }
    },
  },
  {
    name: "refuses an event held by a run without a reservation of it",
    guards: "reservation_exists",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      await owner.persist(
        insertRow("runs", runRow("run-1")),
        insertRow("events", eventRow("m-1")),
        insertRow("reservations", reservationRow("run-1", "m-2")),
      );
      await expectRefusal(store, owner, {
        constraint: "reservation_exists",
        rows: [updateRow("events", event, { status: "reserved", reservedBy: "run-1" })],
      });
    },
  },
  {
    name: "refuses to delete the reservation of an event that is held",
    guards: "reservation_exists",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      await owner.persist(...runBehindMutation("run-1", "m-1"));
      await expectRefusal(store, owner, {
        constraint: "reservation_exists",
        rows: [deleteRow("reservations", ["run-1", "orders", "m-1"])],
      });
    },
  },
];

export const constraintCases: readonly StoreCase[] = [...runCases, ...eventCases];
