import {
  eventStatusEdges,
  eventStatuses,
  insertRow,
  ledgerStateEdges,
  ledgerStates,
  type RowChange,
  runPhaseEdges,
  runPhases,
  runStatusEdges,
  runStatuses,
  updateRow,
  workflowStatusEdges,
  workflowStatuses,
} from "@holdfast/core";
import { expect } from "vitest";
import type { ConstraintName } from "../constraint-names.ts";
import { Owner } from "./change-builder.ts";
import { eventRow, mutationRow, reservationRow, runRow, workflowRow } from "./row-builder.ts";
import type { StoreCase } from "./store-case.ts";

/** How to stand in one word of a table and step to another. */
type Walk<W extends string> = {
  readonly constraint: ConstraintName;
  readonly words: readonly W[];
  readonly edges: Readonly<Record<W, readonly W[]>>;
  readonly stand: (word: W) => readonly RowChange[];
  readonly step: (word: W) => RowChange;
};

/** Every pair of words, the same word twice included: allowed exactly when the core lists it. */
function walkAll<W extends string>(walk: Walk<W>): StoreCase["run"] {
  return async ({ store }) => {
    const wrong: string[] = [];
    for (const from of walk.words) {
      for (const to of walk.words) {
        const owner = await Owner.create(store, `${from} to ${to}`);
        await owner.persist(...walk.stand(from));
        const answer = await owner.commit({ rows: [walk.step(to)] });
        const expected = walk.edges[from].includes(to) ? "committed" : walk.constraint;
        const got = answer.kind === "refused" ? answer.constraint : answer.kind;
        if (got !== expected) wrong.push(`${from} → ${to}: ${got}, expected ${expected}`);
      }
    }
    expect(wrong).toEqual([]);
  };
}

const holder = (word: string) => (word === "reserved" ? "run-1" : null);

export const edgeCases: readonly StoreCase[] = [
  {
    name: "lets an event change its status along the core's edges only [R11]",
    guards: "event_edge",
    run: walkAll({
      constraint: "event_edge",
      words: eventStatuses,
      edges: eventStatusEdges,
      stand: (status) => [
        insertRow("reservations", reservationRow("run-1", "m-1")),
        insertRow("events", eventRow("m-1", { status, reservedBy: holder(status) })),
      ],
      step: (status) =>
        updateRow("events", ["orders", "m-1"], { status, reservedBy: holder(status) }),
    }),
  },
  {
    name: "lets a run change its status along the core's edges only",
    guards: "run_status_edge",
    run: walkAll({
      constraint: "run_status_edge",
      words: runStatuses,
      edges: runStatusEdges,
      stand: (status) => [insertRow("runs", runRow("run-1", { status }))],
      step: (status) => updateRow("runs", ["run-1"], { status }),
    }),
  },
  {
    name: "lets a run change its phase forward only [R50]",
    guards: "run_phase_edge",
    run: walkAll({
      constraint: "run_phase_edge",
      words: runPhases,
      edges: runPhaseEdges,
      stand: (phase) => [insertRow("runs", runRow("run-1", { phase }))],
      step: (phase) => updateRow("runs", ["run-1"], { phase }),
    }),
  },
  {
    name: "lets a mutation change its state along the ledger's edges only [R61]",
    guards: "ledger_edge",
    run: walkAll({
      constraint: "ledger_edge",
      words: ledgerStates,
      edges: ledgerStateEdges,
      stand: (state) => [insertRow("mutations", mutationRow("mutation-1", { state }))],
      step: (state) => updateRow("mutations", ["mutation-1"], { state }),
    }),
  },
  {
    name: "lets a workflow change its status along the core's edges only",
    guards: "workflow_edge",
    run: walkAll({
      constraint: "workflow_edge",
      words: workflowStatuses,
      edges: workflowStatusEdges,
      stand: (status) => [insertRow("workflows", workflowRow({ status }))],
      step: (status) => updateRow("workflows", [], { status }),
    }),
  },
  {
    name: "does not judge a status that an update leaves alone",
    run: async ({ store }) => {
      const owner = await Owner.create(store);
      await owner.persist(
        insertRow("events", eventRow("m-1", { status: "consumed" })),
        insertRow("runs", runRow("run-1", { open: false, status: "committed" })),
        insertRow("mutations", mutationRow("mutation-1", { state: "applied" })),
        updateRow("events", ["orders", "m-1"], { lateCount: 1 }),
        updateRow("runs", ["run-1"], { uiTitle: "Order 1" }),
        updateRow("mutations", ["mutation-1"], { uiTitle: "Order 1" }),
      );
    },
  },
];
