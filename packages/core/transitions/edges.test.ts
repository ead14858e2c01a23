import { describe, expect, test } from "vitest";
import { itemStatusEdges, itemStatuses } from "../item/item-status.ts";
import { applyRow } from "../journal/apply.ts";
import { ledgerStateEdges, ledgerStates } from "../mutation/ledger-state.ts";
import { InvariantError } from "../ports/invariant.ts";
import { proposalStatusEdges, proposalStatuses } from "../proposal/proposal-status.ts";
import { runPhaseEdges, runPhases } from "../run/run-phase.ts";
import { runStatusEdges, runStatuses } from "../run/run-status.ts";
import { eventStatusEdges, eventStatuses } from "../topic/event-status.ts";
import { updateRow } from "../view/row-change.ts";
import { workflowStatusEdges, workflowStatuses } from "../workflow/workflow-status.ts";
import { allCells } from "./all-families.ts";
import { type EdgeTableName, edgeTables, isLegalEdge } from "./edge-tables.ts";
import { missingOrExtra, parseGrid } from "./grid.ts";
import { inLedgerState } from "./state-builder.ts";

type CoreEdges = {
  readonly names: readonly string[];
  readonly edges: Readonly<Record<string, readonly string[]>>;
};

const core: Readonly<Record<EdgeTableName, CoreEdges>> = {
  ledger: { names: ledgerStates, edges: ledgerStateEdges },
  run: { names: runStatuses, edges: runStatusEdges },
  phase: { names: runPhases, edges: runPhaseEdges },
  event: { names: eventStatuses, edges: eventStatusEdges },
  workflow: { names: workflowStatuses, edges: workflowStatusEdges },
  item: { names: itemStatuses, edges: itemStatusEdges },
  proposal: { names: proposalStatuses, edges: proposalStatusEdges },
};

const tableNames = Object.keys(core) as EdgeTableName[];

const proves: Readonly<Record<EdgeTableName, string>> = {
  ledger: "[R61] ledger states",
  run: "[R51, R153] run statuses",
  phase: "[R50] run phases",
  event: "[R11] event statuses",
  workflow: "[R126] workflow statuses",
  proposal: "[M.G-1] proposal statuses",
  item: "[L6, L20, L21] item statuses",
};

/** Every pair of names as `from → to`, kept where the edge is legal. */
function pairs(table: EdgeTableName, legal: (from: string, to: string) => boolean): string[] {
  const { names } = core[table];
  return names.flatMap((from) =>
    names.filter((to) => legal(from, to)).map((to) => `${from} → ${to}`),
  );
}

describe.each(tableNames)("the edges of %s", (table) => {
  test(`${proves[table]}: the table lists every pair, and core has exactly its edges`, () => {
    const { text, alias } = edgeTables[table];
    const words = core[table].names.map((name) => alias[name] ?? name);
    expect(missingOrExtra(parseGrid(text), { columns: words, rows: words })).toEqual([]);
    const golden = pairs(table, (from, to) => isLegalEdge({ table, from, to }));
    const declared = pairs(table, (from, to) => core[table].edges[from]?.includes(to) ?? false);
    expect(declared).toEqual(golden);
  });

  test("every legal edge is walked by some cell of some table", () => {
    const walked = new Set(
      allCells()
        .flatMap(({ edges }) => edges)
        .filter((edge) => edge.table === table)
        .map(({ from, to }) => `${from} → ${to}`),
    );
    const golden = pairs(table, (from, to) => isLegalEdge({ table, from, to }));
    expect(golden.filter((pair) => !walked.has(pair))).toEqual([]);
  });
});

describe("[R61] folding refuses an edge no decision could have made", () => {
  test.each(ledgerStates)("out of %s", (from) => {
    for (const to of ledgerStates.filter((name) => name !== from)) {
      const s = inLedgerState(from);
      const change = updateRow("mutations", [s.mutationId], { state: to });
      const fold = () => applyRow(s.view, change);
      if (isLegalEdge({ table: "ledger", from, to })) expect(fold).not.toThrow();
      else expect(fold).toThrow(InvariantError);
    }
  });
});
