import type { JournalEntry, SealedRecord, Seq } from "@holdfast/core";
import { copyBytes } from "./stored-value.ts";
import type { WorkflowState } from "./workflow-state.ts";

export function appendRecords(state: WorkflowState, records: readonly SealedRecord[]): void {
  for (const { seq, at, hash, bytes, version } of records) {
    state.journal.push({ seq, hash, bytes: copyBytes(bytes) });
    state.head = Object.freeze({ seq, hash, at });
    state.factVersion = Math.max(state.factVersion, version);
  }
}

export function readJournal(
  state: WorkflowState,
  after: Seq,
  limit: number,
): readonly JournalEntry[] {
  // The journal starts at 1 and has no gaps, so a record stands at its seq less one.
  const range = state.journal.slice(Math.max(0, after), Math.max(0, after) + limit);
  return range.map(({ seq, hash, bytes }) => ({ seq, hash, bytes: copyBytes(bytes) }));
}
