/**
 * Named points between two writes, for tests to stop the process at. Each is a place where a death
 * leaves something else behind than at the one before it. The list is closed, so that a test can
 * show that it has been at all of them.
 */
export const boundaries = [
  "folder locked",
  "database opened",
  "migration begun",
  "migration step done",
  "schema version written",
  "migration committed",
  "new store checkpointed",
  "leases of the dead ended",
  "store opened",
  "group waiting",
  "group begun",
  "savepoint set",
  "head compared",
  "journal rows written",
  "row change done",
  "blob written",
  "part swept",
  "low water raised",
  "trace written",
  "read counted",
  "result kept",
  "traces pruned",
  "inbox tail moved",
  "command written",
  "workflow created",
  "host opened",
  "lease extended",
  "workflow taken",
  "workflow released",
  "workflows let go",
  "host closed",
  "savepoint rolled back",
  "savepoint released",
  "group rolled back",
  "group written",
  "group committed",
  "group acknowledged",
  "store closing",
  "database closed",
  "lock released",
] as const;

export type Boundary = (typeof boundaries)[number];

/** Absent outside of tests: then a boundary costs one comparison. */
export type AtBoundary = (boundary: Boundary) => void;
