export const proposalStatuses = [
  "submitted",
  "shadowed",
  "approved",
  "rejected",
  "applied",
] as const;
export type ProposalStatus = (typeof proposalStatuses)[number];

/** Nobody agrees to what was not tried first; what was rejected or applied stays so. */
export const proposalStatusEdges: Readonly<Record<ProposalStatus, readonly ProposalStatus[]>> = {
  submitted: ["shadowed"],
  shadowed: ["shadowed", "approved", "rejected"],
  approved: ["approved", "rejected", "applied"],
  rejected: [],
  applied: [],
};
