import { expect, test } from "vitest";
import { joinRows } from "./join-rows.ts";
import { deleteRow, insertRow, type RowChange, updateRow } from "./row-change.ts";

const run = (row: object) => insertRow("runs", { runId: "r1", ...row } as never);
const call = (row: object) => insertRow("mutations", { mutationId: "m1", ...row } as never);

test("a row that is made in a change is inserted as the change leaves it", () => {
  const changes = [
    run({ phase: "preparing", asOf: 1 }),
    call({ state: "ready" }),
    updateRow("runs", ["r1"], { phase: "prepared", asOf: 2 }),
    updateRow("mutations", ["m1"], { state: "in_flight" }),
    updateRow("runs", ["r1"], { phase: "mutating" }),
  ];
  expect(joinRows(changes)).toEqual([
    run({ phase: "mutating", asOf: 2 }),
    call({ state: "in_flight" }),
  ]);
});

test("what a database judges step by step stays a step: states, closing, taking an event", () => {
  const steps: readonly RowChange[][] = [
    [
      updateRow("runs", ["r1"], { phase: "emitting" }),
      updateRow("runs", ["r1"], { phase: "committed" }),
    ],
    [run({ open: true }), updateRow("runs", ["r1"], { open: false })],
    [
      insertRow("events", { topic: "t", messageId: "e", status: "pending" } as never),
      updateRow("events", ["t", "e"], { status: "reserved", reservedBy: "r1" }),
    ],
    [
      updateRow("handlers", ["book"], { wakeAt: 1 }),
      deleteRow("reservations", ["r1", "t", "e"]),
      updateRow("handlers", ["book"], { wakeAt: 2 }),
    ],
  ];
  for (const changes of steps) expect(joinRows(changes)).toEqual(changes);
});

test("updates that nobody judges are one statement, the later value winning", () => {
  const changes = [
    updateRow("handlers", ["book"], { wakeAt: 1, crashCount: 1 }),
    updateRow("handlers", ["ship"], { wakeAt: 9 }),
    updateRow("handlers", ["book"], { crashCount: 0 }),
  ];
  expect(joinRows(changes)).toEqual([
    updateRow("handlers", ["book"], { wakeAt: 1, crashCount: 0 }),
    updateRow("handlers", ["ship"], { wakeAt: 9 }),
  ]);
});
