import { brakeFamily, questionFamily } from "./desk-tables.ts";
import { eventFamily } from "./event-table.ts";
import { type CellResult, type Family, tryCell } from "./family.ts";
import { ledgerFamily } from "./ledger-table.ts";
import { phaseFamily } from "./phase-table.ts";
import { runFamily } from "./run-table.ts";
import { workflowFamily } from "./workflow-table.ts";

let cells: readonly CellResult[] | null = null;

/** Every cell of every table, tried once. */
export function allCells(): readonly CellResult[] {
  cells ??= [
    ...cellsOf(ledgerFamily),
    ...cellsOf(runFamily),
    ...cellsOf(phaseFamily),
    ...cellsOf(eventFamily),
    ...cellsOf(workflowFamily),
    ...cellsOf(questionFamily),
    ...cellsOf(brakeFamily),
  ];
  return cells;
}

function cellsOf<O>(family: Family<O>): CellResult[] {
  return Object.keys(family.rows).flatMap((row) =>
    Object.keys(family.columns).map((column) => tryCell(family, row, column)),
  );
}
