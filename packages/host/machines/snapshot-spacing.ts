import type { LastSnapshot } from "./open-kernel.ts";

/** Bytes of a body for one record: with much open work it is seldom written. */
const bodyBytesPerRecord = 100;
/** About as long as a record is: a snapshot's parts are then no more than the journal itself. */
const partBytesPerRecord = 300;
/** However many cells there are, so much more than the policy says may have to be run again. */
const timesMax = 5;

/**
 * How many records lie between two snapshots at least. Cells that change all over an index make
 * each snapshot write most of its leaves, however few they are.
 */
export function recordsBetween(last: LastSnapshot | null, recordsMin: number): number {
  if (last === null) return recordsMin;
  const { bytes, partBytes } = last;
  const forParts = Math.min(partBytes / partBytesPerRecord, recordsMin * timesMax);
  return Math.max(recordsMin, bytes / bodyBytesPerRecord, forParts);
}
