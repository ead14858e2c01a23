import { Link } from "@tanstack/react-router";
import { type Cell, cellLine, cellName, sayCell } from "../words/machines.ts";
import { cellParams } from "./cell-params.ts";
import { RowParts } from "./row-parts.tsx";

/** One of what a machine keeps track of, in a list. */
export function CellRow({ workflow, cell }: { readonly workflow: string; readonly cell: Cell }) {
  return (
    <Link
      to="/page/workflows/$workflow/machines/$machine/$cell"
      params={cellParams({ workflow, ...cell })}
      className="row cell-row"
      data-row="cell"
    >
      <RowParts said={sayCell(cell)} end={cellLine(cell)}>
        {cellName(cell)}
      </RowParts>
    </Link>
  );
}
