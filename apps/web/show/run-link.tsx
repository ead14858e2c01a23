import { Link } from "@tanstack/react-router";

export function RunLink({
  workflow,
  runId,
}: {
  readonly workflow: string;
  readonly runId: string;
}) {
  return (
    <Link to="/page/workflows/$workflow/runs/$run" params={{ workflow, run: runId }}>
      {runId}
    </Link>
  );
}
