import { brakeFamily, questionFamily } from "./desk-tables.ts";
import { eventFamily } from "./event-table.ts";
import { type CellResult, tryAll } from "./family.ts";
import { itemFamilies } from "./item-table.ts";
import { ledgerFamily } from "./ledger-table.ts";
import { phaseFamily } from "./phase-table.ts";
import { proposalFamily } from "./proposal-table.ts";
import { runFamily } from "./run-table.ts";
import { workflowFamily } from "./workflow-table.ts";

let cells: readonly CellResult[] | null = null;

/** Every cell of every table, tried once. */
export function allCells(): readonly CellResult[] {
  cells ??= [
    ...tryAll(ledgerFamily),
    ...tryAll(runFamily),
    ...tryAll(phaseFamily),
    ...tryAll(eventFamily),
    ...tryAll(workflowFamily),
    ...tryAll(questionFamily),
    ...tryAll(brakeFamily),
    ...tryAll(proposalFamily),
    ...itemFamilies.flatMap((family) => tryAll(family)),
  ];
  return cells;
}
