import { expect, test } from "vitest";
import { type Policy, policyDefaults } from "./policy.ts";

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const dayMs = 24 * 60 * minuteMs;
const kibibyte = 1_024;
const mebibyte = 1_024 * kibibyte;

/** A second, hand-written copy: a default that changes must be changed here too. */
const defaults: Readonly<Record<keyof Policy, readonly [id: string, value: number]>> = {
  transientDelayMs: ["R141", 10 * secondMs],
  transientDelayMsMax: ["R141", 10 * minuteMs],
  transientTriesMax: ["R141", 5],
  jitterShare: ["R141", 0.2],
  rateLimitMsMin: ["R141", secondMs],
  rateLimitMsMax: ["R141", dayMs],
  reconcileDelayMs: ["R141", 10 * secondMs],
  reconcileDelayMsMax: ["R141", 10 * minuteMs],
  reconcileTriesMax: ["R141", 5],
  reconcileTotalMsMax: ["R141", dayMs],
  wakeDelayMsMin: ["R100", 30 * secondMs],
  wakeDelayMsMax: ["R100", dayMs],
  staleInputMs: ["R23", 7 * dayMs],
  overdueMs: ["R141", 15 * minuteMs],
  crashesInARowMax: ["R141", 2],
  jobSliceMs: ["R141", 10 * secondMs],
  jobRunMs: ["R141", 2 * minuteMs],
  hostPauseMsMax: ["R141", minuteMs],
  retentionMarginMs: ["R141", minuteMs],
  stateBytesMax: ["R141", 256 * kibibyte],
  payloadBytesMax: ["R141", mebibyte],
  commitBytesMax: ["R141", 64 * mebibyte],
  commandBytesMax: ["R141", 4 * mebibyte],
  firingLateMsMax: ["R141", minuteMs],
  deliveryBytesMax: ["R141", mebibyte],
  deliveriesWaitingMax: ["R141", 10_000],
  schemaBytesMax: ["R141", 64 * kibibyte],
  idBytesMax: ["R141", 512],
  externalIdBytesMax: ["R141", 4 * kibibyte],
  titleCharsMax: ["R141", 500],
  noteCharsMax: ["R141", 10_000],
  eventsPerCommitMax: ["R141", 10_000],
  reservationsMax: ["R141", 1_000],
  kvWritesMax: ["R141", 1_000],
  envelopeBytesMax: ["R141", mebibyte],
  approvalMsMax: ["R141", 7 * dayMs],
  traceKeptMs: ["R141", 30 * dayMs],
  traceFactsKept: ["R141", 100_000],
  traceBytesMax: ["R141", 64 * kibibyte],
  machineSnapshotRecords: ["M.K7.7-1", 2_000],
  machineResidentBytesMax: ["M.K7.6-1", 64 * mebibyte],
  machineSnapshotsKept: ["M.K7.7-5", 3],
  machinePartGraceMs: ["M.K7.7-5", 60 * minuteMs],
};

test("[R141, R100, R23] every default has a name, and its value is the one of the table", () => {
  const values = Object.entries(defaults).map(([name, [, value]]) => [name, value]);
  expect(policyDefaults).toEqual(Object.fromEntries(values));
});
