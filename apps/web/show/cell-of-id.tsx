import { Link } from "@tanstack/react-router";
import { cellOfId } from "../words/cell-ids.ts";
import { cellParams } from "./cell-params.ts";

type Props = { readonly workflow: string; readonly id: string };

/** A cell by its id, as a link where its key can be told from it. */
export function CellOfId({ workflow, id }: Props) {
  const { machine, keyText, name } = cellOfId(id);
  if (keyText === undefined) return <strong>{name}</strong>;
  return (
    <Link
      to="/page/workflows/$workflow/machines/$machine/$cell"
      params={cellParams({ workflow, machine, keyText })}
    >
      {name}
    </Link>
  );
}
