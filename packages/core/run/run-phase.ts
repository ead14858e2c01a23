/** How far a run has come. Consumers walk the first six, producers and jobs the last two. */
export const runPhases = [
  "preparing",
  "prepared",
  "mutating",
  "mutated",
  "emitting",
  "executing",
  "committed",
] as const;
export type RunPhase = (typeof runPhases)[number];

/** Strictly forward within a run; going back is always a new run. */
export const runPhaseEdges: Readonly<Record<RunPhase, readonly RunPhase[]>> = {
  preparing: ["prepared"],
  prepared: ["mutating", "emitting"],
  mutating: ["mutated"],
  mutated: ["emitting"],
  emitting: ["committed"],
  executing: ["committed"],
  committed: [],
};
