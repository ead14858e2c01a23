/** User-owned. A system error is a separate field, so that neither can overwrite the other. */
export const workflowStatuses = ["active", "paused", "archived"] as const;
export type WorkflowStatus = (typeof workflowStatuses)[number];

export const workflowStatusEdges: Readonly<Record<WorkflowStatus, readonly WorkflowStatus[]>> = {
  active: ["paused", "archived"],
  paused: ["active", "archived"],
  archived: ["paused"],
};
