import { Link } from "@tanstack/react-router";
import { Empty } from "../show/empty.tsx";

export function NotFound() {
  return (
    <Empty title="There is no such page.">
      <p>
        The address may be of a page that has moved. <Link to="/">Home</Link> shows everything that
        there is.
      </p>
    </Empty>
  );
}
