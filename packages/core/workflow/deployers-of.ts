import type { WorkflowRow } from "./workflow-row.ts";

/** Whose version the active one is; null = nobody has written it down. */
export function deployersOf({ deployedBy, proposedBy }: WorkflowRow): readonly string[] | null {
  if (deployedBy === null) return null;
  return [...new Set([deployedBy, proposedBy ?? deployedBy])];
}
