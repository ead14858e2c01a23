import type { ProjectionsOf } from "../journal/projection.ts";
import { insertRow, updateRow } from "../view/row-change.ts";
import type { ProposalFact } from "./proposal-facts.ts";
import type { ProposalRow } from "./proposal-row.ts";

export const projectProposal: ProjectionsOf<ProposalFact> = {
  version_proposed: ({ kind, actor, ...said }, { at }) => [
    insertRow("proposals", { ...begun, ...said, author: actor, proposedAt: at }),
    updateRow("workflows", [], { proposalCount: said.number }),
  ],
  version_shadowed: ({ number, status, report, actor }, { at }) => [
    updateRow("proposals", [number], { status, report, shadowedBy: actor, shadowedAt: at }),
  ],
  version_decided: ({ number, says, reason, stopsWaiting, actor }, { at }) => [
    updateRow("proposals", [number], {
      status: says === "approve" ? "approved" : "rejected",
      decidedBy: actor,
      decidedAt: at,
      reason,
      ...(stopsWaiting ? { waits: false } : {}),
    }),
    ...(stopsWaiting ? [updateRow("workflows", [], { applying: null })] : []),
  ],
  apply_asked: ({ number, waits, actor }, { at }) => [
    updateRow("proposals", [number], { askedBy: actor, askedAt: at, waits, obstacles: null }),
    // The machines are asked at once.
    updateRow("workflows", [], { applying: number, machineDueAt: at }),
  ],
  apply_blocked: ({ number, obstacles, waits }) => [
    updateRow("proposals", [number], { obstacles, waits }),
    ...(waits ? [] : [updateRow("workflows", [], { applying: null })]),
  ],
  version_applied: ({ number }, { at }) => [
    updateRow("proposals", [number], { status: "applied", appliedAt: at, waits: false }),
    updateRow("workflows", [], { applying: null }),
  ],
};

const begun: Omit<
  ProposalRow,
  | "number"
  | "version"
  | "scriptHash"
  | "base"
  | "body"
  | "changes"
  | "description"
  | "author"
  | "proposedAt"
> = {
  status: "submitted",
  report: null,
  shadowedBy: null,
  shadowedAt: null,
  decidedBy: null,
  decidedAt: null,
  reason: null,
  askedBy: null,
  askedAt: null,
  waits: false,
  obstacles: null,
  appliedAt: null,
};
