/**
 * Host-set limits and timings with their units. A decision that a value caused records the value,
 * so that it can be explained after the policy has changed.
 */
export type Policy = {
  readonly transientDelayMs: number;
  readonly transientDelayMsMax: number;
  readonly transientTriesMax: number;
  /** Share of a delay that jitter may add. */
  readonly jitterShare: number;
  /** A service's wish to be left alone is honoured within these bounds. */
  readonly rateLimitMsMin: number;
  readonly rateLimitMsMax: number;
  readonly reconcileDelayMs: number;
  readonly reconcileDelayMsMax: number;
  readonly reconcileTriesMax: number;
  /** Unreachable services use up time, not tries. */
  readonly reconcileTotalMsMax: number;
  readonly wakeDelayMsMin: number;
  readonly wakeDelayMsMax: number;
  /** A firing later than this is missed; its handler may have declared that it passes then. */
  readonly firingLateMsMax: number;
  /** An input pending longer than this is stale: it is shown so, and a person is asked. */
  readonly staleInputMs: number;
  /** Work that is due longer than this, with nothing written meanwhile, is shown as a wedge. */
  readonly overdueMs: number;
  readonly crashesInARowMax: number;
  /** So long a job may go on, item by item, while others are due. */
  readonly jobSliceMs: number;
  /** So long one run of a job may go on at all; between two items a new one takes over. */
  readonly jobRunMs: number;
  /** Longest a host process may stand still between its last check and the first byte sent. */
  readonly hostPauseMsMax: number;
  /** Kept free before a provider forgets an idempotency key. */
  readonly retentionMarginMs: number;
  readonly stateBytesMax: number;
  readonly payloadBytesMax: number;
  /** One body; all that a run is given together have the same limit, but for the first. */
  readonly deliveryBytesMax: number;
  /** Of one handler; more are refused until some are taken. */
  readonly deliveriesWaitingMax: number;
  /** It stands in the topic's row, and whoever owns the workflow has it in memory. */
  readonly schemaBytesMax: number;
  readonly idBytesMax: number;
  /** An implied input's id carries its topic and message id. */
  readonly externalIdBytesMax: number;
  readonly titleCharsMax: number;
  /** Free text for people: failure messages, notes, reasons. */
  readonly noteCharsMax: number;
  readonly eventsPerCommitMax: number;
  /** All payloads of one commit together. */
  readonly commitBytesMax: number;
  readonly commandBytesMax: number;
  readonly reservationsMax: number;
  readonly kvWritesMax: number;
  /** The list of grants of a workflow, as canonical bytes. */
  readonly envelopeBytesMax: number;
  /** How long a question whether to send a call stays open, and an approval may be used. */
  readonly approvalMsMax: number;
  /** Traces older than this are forgotten. */
  readonly traceKeptMs: number;
  /** Those of older facts than the last so many of a workflow are, too: it may be a busy one. */
  readonly traceFactsKept: number;
  /** Of one change; what is beyond it is left out, the earliest first, and counted. */
  readonly traceBytesMax: number;
  /** Records of machines after which a snapshot is worth its bytes, at least. */
  readonly machineSnapshotRecords: number;
  /** States of a workflow's cells that are at hand; half may have changed since a snapshot. */
  readonly machineResidentBytesMax: number;
  /** The last so many snapshots keep their parts. */
  readonly machineSnapshotsKept: number;
  /** A part that nothing names any more is there for so long yet. */
  readonly machinePartGraceMs: number;
};

/** What may differ for one connection, or for one operation of it. */
export const callPolicyNames = [
  "transientDelayMs",
  "transientDelayMsMax",
  "transientTriesMax",
  "jitterShare",
  "rateLimitMsMin",
  "rateLimitMsMax",
  "reconcileDelayMs",
  "reconcileDelayMsMax",
  "reconcileTriesMax",
  "reconcileTotalMsMax",
  "retentionMarginMs",
] as const satisfies readonly (keyof Policy)[];

export type OperationName = { readonly connection: string; readonly operation: string };

/** The policy for calls of one operation. */
export type PolicyOf = (call: OperationName) => Policy;

/** Values that a decision was made with, kept in its fact. */
export type PolicyUse = { readonly [K in keyof Policy]?: number };

/** Of these names, in whatever a decision was made with. */
export function usedOf(policy: Policy, names: readonly (keyof Policy)[]): PolicyUse {
  const used: { -readonly [K in keyof PolicyUse]: PolicyUse[K] } = {};
  for (const name of names) used[name] = policy[name];
  return used;
}

export const transientNames = [
  "transientDelayMs",
  "transientDelayMsMax",
  "transientTriesMax",
  "jitterShare",
] as const;

export const rateLimitNames = ["rateLimitMsMin", "rateLimitMsMax"] as const;

export const reconcileNames = [
  "reconcileDelayMs",
  "reconcileDelayMsMax",
  "reconcileTriesMax",
  "reconcileTotalMsMax",
  "jitterShare",
] as const;

export const policyDefaults: Policy = {
  transientDelayMs: 10_000,
  transientDelayMsMax: 600_000,
  transientTriesMax: 5,
  jitterShare: 0.2,
  rateLimitMsMin: 1_000,
  rateLimitMsMax: 86_400_000,
  reconcileDelayMs: 10_000,
  reconcileDelayMsMax: 600_000,
  reconcileTriesMax: 5,
  reconcileTotalMsMax: 86_400_000,
  wakeDelayMsMin: 30_000,
  wakeDelayMsMax: 86_400_000,
  firingLateMsMax: 60_000,
  staleInputMs: 604_800_000,
  overdueMs: 900_000,
  crashesInARowMax: 2,
  jobSliceMs: 10_000,
  jobRunMs: 120_000,
  hostPauseMsMax: 60_000,
  retentionMarginMs: 60_000,
  stateBytesMax: 262_144,
  payloadBytesMax: 1_048_576,
  deliveryBytesMax: 1_048_576,
  deliveriesWaitingMax: 10_000,
  schemaBytesMax: 65_536,
  idBytesMax: 512,
  externalIdBytesMax: 4_096,
  titleCharsMax: 500,
  noteCharsMax: 10_000,
  eventsPerCommitMax: 10_000,
  commitBytesMax: 67_108_864,
  commandBytesMax: 4_194_304,
  reservationsMax: 1_000,
  kvWritesMax: 1_000,
  envelopeBytesMax: 1_048_576,
  approvalMsMax: 604_800_000,
  traceKeptMs: 2_592_000_000,
  traceFactsKept: 100_000,
  machineSnapshotRecords: 2_000,
  machineResidentBytesMax: 67_108_864,
  machineSnapshotsKept: 3,
  machinePartGraceMs: 3_600_000,
  traceBytesMax: 65_536,
};
