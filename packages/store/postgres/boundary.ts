/**
 * Every statement that this adapter sends, by name. A test may stop the process right before one is
 * sent and right after its answer came: in between, only the server knows.
 */
export const statementNames = [
  "check server",
  "migrate",
  "open store",
  "commit",
  "load",
  "peek",
  "load blob",
  "load parts",
  "list parts",
  "sweep parts",
  "sum budget",
  "sum usage",
  "sum active",
  "sum reads",
  "find kept",
  "append command",
  "read inbox",
  "turn store brake",
  "tell of store brake",
  "find store brake",
  "find verdict",
  "open host",
  "heartbeat",
  "close host",
  "claim",
  "claim one",
  "release",
  "next due",
  "census",
  "create workflow",
  "read journal",
  "read traces",
  "prune traces",
  "list workflows",
  "read changes",
  "scan",
  "list attentions",
  "list awaiting",
  "list rows",
  "count rows",
  "find damage",
  "wake others",
  "export",
  "import",
] as const;

export type StatementName = (typeof statementNames)[number];
export type Boundary = `${StatementName} sending` | `${StatementName} answered`;

/** Absent outside of tests: then a boundary costs one comparison. */
export type AtBoundary = (boundary: Boundary) => void;
