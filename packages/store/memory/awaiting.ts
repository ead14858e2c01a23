import { compareText } from "../text-order.ts";
import type { WorkflowState } from "./workflow-state.ts";

export function listAwaiting(
  states: Iterable<WorkflowState>,
  executor: string,
  after: string | null,
  limit: number,
): readonly string[] {
  return [...states]
    .filter(({ tables }) =>
      [...tables.mutations.values()].some((row) => row.awaitsExecutor === executor),
    )
    .map(({ workflow }) => workflow)
    .filter((workflow) => after === null || compareText(workflow, after) > 0)
    .sort(compareText)
    .slice(0, limit);
}
