import { Link } from "@tanstack/react-router";

type Props = { readonly workflow: string; readonly itemId: string };

export function ItemLink({ workflow, itemId }: Props) {
  return (
    <Link to="/page/workflows/$workflow/items/$item" params={{ workflow, item: itemId }}>
      {itemId}
    </Link>
  );
}
