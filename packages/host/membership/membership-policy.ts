/** How a host looks for work. Named limits with their units, like the core's policy. */
export type MembershipPolicy = {
  /** Longest that work lies when its wake-up was lost: every host looks this often by itself. */
  readonly pollMs: number;
  /** What another host may need beyond its next look to take what was left to it. */
  readonly graceMs: number;
  /** Claims of one call: the first of many should not wait for the last. */
  readonly claimsPerCallMax: number;
};

export const membershipPolicyDefaults: MembershipPolicy = {
  pollMs: 1_000,
  graceMs: 250,
  claimsPerCallMax: 100,
};
