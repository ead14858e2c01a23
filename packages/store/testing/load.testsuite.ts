import {
  type DeliveryRow,
  deliveriesPerRunMax,
  insertRow,
  keyOf,
  type Loaded,
  type Need,
  type RowChange,
  type Store,
  type TableRow,
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
  machineInputRow,
  mutationInputRow,
  mutationRow,
  reservationRow,
  runRow,
  topicRow,
  workflowRow,
} from "./row-builder.ts";
import { reserve } from "./row-sequence.ts";
import type { StoreCase } from "./store-case.ts";

/**
 * A workflow in the middle of its life: run-1 is over (it had e-1), run-2 is open, holds e-2 and
 * e-3, carries run-1's mutation over and has two of its own; e-4 and e-5 wait.
 */
const livingWorkflow: readonly RowChange[] = [
  insertRow("workflows", workflowRow()),
  insertRow("topics", topicRow("orders")),
  insertRow("topics", topicRow("notes", { subscriber: null })),
  insertRow("topics", topicRow("empty")),
  insertRow("handlers", handlerRow("book")),
  insertRow("handlers", handlerRow("poll", { kind: "producer", subscribe: [] })),
  insertRow("envelopes", envelopeRow(7)),
  insertRow("brakes", brakeRow("shop.book")),
  insertRow("attentions", attentionRow("open", { subject: "run-2" })),
  insertRow("attentions", attentionRow("closed", { closedAt: 3, closedBy: "a", answer: "skip" })),
  insertRow("inputs", inputRow("in-1")),
  insertRow("inputs", inputRow("in-2")),
  insertRow("deliveries", deliveryRow("in-2", { position: 8, status: "taken", runId: "run-1" })),
  insertRow("deliveries", deliveryRow("late", { position: 30 })),
  insertRow("deliveries", deliveryRow("early", { position: 20 })),
  insertRow("deliveries", deliveryRow("given-up", { position: 10, status: "skipped" })),
  insertRow("deliveries", deliveryRow("elsewhere", { handler: "other", position: 5 })),
  ...["e-1", "e-2", "e-3", "e-4", "e-5"].map((id, index) =>
    insertRow("events", eventRow(id, { position: index + 1 })),
  ),
  insertRow("events", eventRow("n-1", { topic: "notes", position: 9 })),
  insertRow("event_inputs", { inputId: "in-1", topic: "orders", messageId: "e-1" }),
  insertRow("event_inputs", { inputId: "in-1", topic: "orders", messageId: "e-4" }),
  insertRow("event_inputs", { inputId: "in-2", topic: "orders", messageId: "e-5" }),
  insertRow("event_uses", { topic: "orders", messageId: "e-4", usedBy: "run-1" }),
  insertRow("event_uses", { topic: "orders", messageId: "e-4", usedBy: "closed" }),
  insertRow("event_uses", { topic: "orders", messageId: "e-5", usedBy: "run-2" }),
  insertRow("machine_inputs", machineInputRow(5)),
  insertRow("machine_inputs", machineInputRow(7)),
  insertRow("runs", runRow("run-1")),
  ...reserve("run-1", "e-1"),
  insertRow("mutations", mutationRow("mutation-1", { runId: "run-1", mutationKey: "same" })),
  insertRow("mutation_inputs", mutationInputRow("e-1")),
  insertRow("mutation_evidence", evidenceRow("mutation-1", 5)),
  updateRow("events", ["orders", "e-1"], { status: "consumed", reservedBy: null }),
  updateRow("runs", ["run-1"], { open: false, status: "committed" }),
  insertRow("runs", runRow("run-2", { mutationId: "mutation-1" })),
  ...reserve("run-2", "e-2"),
  ...reserve("run-2", "e-3"),
  insertRow("mutations", mutationRow("mutation-2", { runId: "run-2", mutationKey: "same" })),
  updateRow("mutations", ["mutation-2"], { state: "failed" }),
  insertRow("mutations", mutationRow("mutation-3", { runId: "run-2" })),
];

const base = [
  "attentions open",
  "brakes shop.book",
  "events orders e-2",
  "events orders e-3",
  "handlers book",
  "handlers poll",
  "mutations mutation-1",
  "mutations mutation-2",
  "mutations mutation-3",
  "reservations run-2 orders e-2",
  "reservations run-2 orders e-3",
  "runs run-2",
  "topics empty",
  "topics notes",
  "topics orders",
  "workflows",
];

/** Its position is 4: what waits for machines was received in the fact after it. */
const usesOfE4 = [
  "event_uses orders e-4 closed",
  "event_uses orders e-4 run-1",
  "attentions closed",
  "machine_inputs 5",
  "mutations mutation-1",
  "runs run-1",
];

function nameOf({ table, row }: TableRow): string {
  return [table, keyOf(table, row).replaceAll("\u0000", " ")].join(" ").trim();
}

/** Every row that came, twice if it came twice. */
function namesOf(loaded: Loaded): readonly string[] {
  return loaded.rows.map(nameOf).sort();
}

async function loadLiving(store: Store, ...needs: readonly Need[]): Promise<Loaded> {
  const owner = await Owner.create(store);
  await owner.persist(...livingWorkflow);
  return store.load("orders", needs);
}

function loadsExactly(name: string, needs: readonly Need[], rows: readonly string[]): StoreCase {
  return {
    name,
    run: async ({ store }) => {
      const loaded = await loadLiving(store, ...needs);
      expect(namesOf(loaded)).toEqual([...rows].sort());
      expect(loaded.absent).toEqual([]);
      expect(loaded.needs).toEqual(needs);
    },
  };
}

const needCases: readonly StoreCase[] = [
  loadsExactly("loads the base of a decision, and no more", [{ kind: "base" }], base),
  loadsExactly("loads nothing but the head when nothing is needed", [], []),
  loadsExactly(
    "loads one row by its key",
    [
      { kind: "row", table: "events", key: ["orders", "e-4"] },
      { kind: "row", table: "mutation_evidence", key: ["mutation-1", 5] },
      { kind: "row", table: "workflows", key: [] },
      { kind: "row", table: "mutation_inputs", key: ["book", "orders", "e-1", 1] },
    ],
    [
      "events orders e-4",
      "mutation_evidence mutation-1 5",
      "workflows",
      "mutation_inputs book orders e-1 1",
    ],
  ),
  loadsExactly(
    "loads an input with every event it caused, and what machines made of them",
    [{ kind: "input", inputId: "in-1" }],
    ["inputs in-1", "events orders e-1", ...usesOfE4, "events orders e-4"],
  ),
  loadsExactly(
    "loads what machines made of an event, and what waits for them of it",
    [{ kind: "uses", topic: "orders", messageId: "e-4" }],
    usesOfE4,
  ),
  loadsExactly(
    "loads an input with the delivery it came as",
    [{ kind: "input", inputId: "in-2" }],
    [
      "inputs in-2",
      "deliveries in-2",
      "events orders e-5",
      "event_uses orders e-5 run-2",
      "runs run-2",
      "mutations mutation-2",
      "mutations mutation-3",
    ],
  ),
  loadsExactly(
    "loads the deliveries that wait for a handler",
    [{ kind: "waiting_deliveries", handler: "hook" }],
    ["deliveries early", "deliveries late"],
  ),
  loadsExactly(
    "loads a run that is over with its reservations, their events and its mutations",
    [{ kind: "run", runId: "run-1" }],
    ["runs run-1", "reservations run-1 orders e-1", "events orders e-1", "mutations mutation-1"],
  ),
  loadsExactly(
    "loads every ledger row of a mutation key",
    [{ kind: "mutation_key", mutationKey: "same" }],
    ["mutations mutation-1", "mutations mutation-2"],
  ),
  loadsExactly(
    "loads the oldest pending event of each topic with a subscriber",
    [{ kind: "oldest_pending" }],
    ["events orders e-4"],
  ),
  loadsExactly(
    "loads each row once, whatever number of needs asked for it",
    [
      { kind: "base" },
      { kind: "base" },
      { kind: "run", runId: "run-2" },
      { kind: "row", table: "runs", key: ["run-2"] },
      { kind: "mutation_key", mutationKey: "same" },
      { kind: "oldest_pending" },
      { kind: "row", table: "events", key: ["orders", "e-4"] },
    ],
    [...base, "events orders e-4"],
  ),
];

export const loadCases: readonly StoreCase[] = [
  ...needCases,
  {
    name: "loads the oldest waiting deliveries, oldest first, and no more than a run is given",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      const places = Array.from({ length: deliveriesPerRunMax + 5 }, (_, at) => (at * 37) % 105);
      await owner.persist(
        insertRow("workflows", workflowRow()),
        ...places.map((position) =>
          insertRow("deliveries", deliveryRow(`d-${position}`, { position })),
        ),
      );
      await owner.persist(updateRow("deliveries", ["d-0"], { status: "taken", runId: "r" }));
      const need = { kind: "waiting_deliveries", handler: "hook" } as const;
      const { rows } = await store.load("orders", [need]);
      const found = rows.map(({ row }) => (row as DeliveryRow).position);
      expect(found).toEqual(Array.from({ length: deliveriesPerRunMax }, (_, at) => at + 1));
    },
  },
  {
    name: "says which rows asked for by key are not there",
    run: async ({ store }) => {
      const loaded = await loadLiving(
        store,
        { kind: "row", table: "events", key: ["orders", "none"] },
        { kind: "row", table: "events", key: ["orders", "e-4"] },
        { kind: "row", table: "verdicts", key: ["none"] },
        { kind: "row", table: "events", key: ["orders", "none"] },
        { kind: "input", inputId: "none" },
        { kind: "uses", topic: "orders", messageId: "none" },
        { kind: "run", runId: "none" },
        { kind: "mutation_key", mutationKey: "none" },
        { kind: "row", table: "deliveries", key: ["none"] },
        { kind: "row", table: "deliveries", key: ["early"] },
        { kind: "waiting_deliveries", handler: "nobody" },
        { kind: "row", table: "envelopes", key: [8] },
        { kind: "row", table: "envelopes", key: [7] },
      );
      expect(namesOf(loaded)).toEqual(["deliveries early", "envelopes 7", "events orders e-4"]);
      expect(loaded.absent).toEqual([
        { table: "events", key: ["orders", "none"] },
        { table: "verdicts", key: ["none"] },
        { table: "deliveries", key: ["none"] },
        { table: "envelopes", key: [8] },
      ]);
    },
  },
  {
    name: "loads rows as they were written",
    run: async ({ store }) => {
      const { rows } = await loadLiving(store, { kind: "base" });
      expect(rows).toContainEqual({
        table: "runs",
        row: runRow("run-2", { mutationId: "mutation-1" }),
      });
      expect(rows).toContainEqual({
        table: "events",
        row: eventRow("e-2", { position: 2, status: "reserved", reservedBy: "run-2" }),
      });
    },
  },
  {
    name: "loads nothing of another workflow",
    run: async ({ store }) => {
      await loadLiving(store);
      const other = await Owner.create(store, "other");
      await other.persist(insertRow("workflows", workflowRow({ name: "other" })));
      const loaded = await store.load("other", [
        { kind: "base" },
        { kind: "input", inputId: "in-1" },
        { kind: "uses", topic: "orders", messageId: "e-4" },
        { kind: "run", runId: "run-1" },
        { kind: "mutation_key", mutationKey: "same" },
        { kind: "oldest_pending" },
        { kind: "waiting_deliveries", handler: "hook" },
      ]);
      expect(loaded.rows).toEqual([{ table: "workflows", row: workflowRow({ name: "other" }) }]);
    },
  },
  {
    name: "follows the open run when it changes",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      await owner.persist(
        insertRow("runs", runRow("run-1")),
        updateRow("runs", ["run-1"], { open: false, status: "aborted" }),
      );
      expect(namesOf(await store.load("orders", [{ kind: "base" }]))).toEqual([]);
      await owner.persist(insertRow("runs", runRow("run-2")), insertRow("events", eventRow("m")));
      await owner.persist(insertRow("reservations", reservationRow("run-2", "m")));
      expect(namesOf(await store.load("orders", [{ kind: "base" }]))).toEqual([
        "reservations run-2 orders m",
        "runs run-2",
      ]);
    },
  },
];
