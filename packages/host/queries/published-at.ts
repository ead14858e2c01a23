import { type EventRow, type Instant, invariant, type Store } from "@holdfast/core";
import type { FoundRows } from "./found-rows.ts";
import { readRecord } from "./read-record.ts";

/** A run publishes as it commits; what was published by hand has its time in the journal only. */
export async function publishedAt(
  store: Store,
  workflow: string,
  found: FoundRows,
  { createdBy, position }: EventRow,
): Promise<Instant> {
  const run = createdBy === null ? null : found.find("runs", createdBy);
  if (run?.endedAt) return run.endedAt;
  const record = await readRecord(store, workflow, position);
  invariant(record !== null, `the journal of ${workflow} has record ${position}`);
  return record.at;
}
