import type { Change, CommitAnswer, Instant, SealedRecord } from "@holdfast/core";
import type { ConstraintName } from "../constraint-names.ts";
import { findAsideMisfit } from "../fit.ts";
import { keepBlobs } from "./blobs.ts";
import { type Budgets, haveMoved, moveBudgets } from "./budgets.ts";
import type { Violation } from "./constraints.ts";
import { keepCounted } from "./counted-reads.ts";
import { appendRecords } from "./journal.ts";
import { keepResults } from "./kept-results.ts";
import { keepParts } from "./parts.ts";
import { RowTransaction } from "./row-changes.ts";
import { keepTrace } from "./traces.ts";
import type { WorkflowState } from "./workflow-state.ts";

/**
 * One change, all or nothing: whatever can refuse it is asked before anything else is written.
 * The low-water hints are not needed: peek finds what is unsettled without them.
 */
export function commitChange(
  state: WorkflowState | undefined,
  change: Change,
  {
    enforced,
    budgets,
    now,
  }: { enforced: ReadonlySet<ConstraintName>; budgets: Budgets; now: Instant },
): CommitAnswer {
  // A workflow that is not there is owned by nobody, so by nobody with this epoch.
  if (state === undefined || state.epoch !== change.epoch) return { kind: "lease_lost" };
  if (state.head.seq !== change.expectedHead) return { kind: "conflict", head: state.head.seq };
  if (haveMoved(budgets, change.budgets)) return { kind: "budget_moved" };
  const gap = enforced.has("records_contiguous") ? findGap(change) : null;
  if (gap !== null) return refused(gap);
  const misfit = enforced.has("value_fits_column") ? findAsideMisfit(change) : null;
  if (misfit !== null) return refused(misfit);
  const rows = new RowTransaction(state, enforced);
  let done = false;
  try {
    const violation = rows.write(change.rows);
    if (violation !== null) return refused(violation);
    appendRecords(state, change.records);
    keepBlobs(state, change.blobs);
    keepParts(state, change.parts ?? [], now);
    keepTrace(state, change);
    keepCounted(state, change);
    keepResults(state, change);
    moveBudgets(budgets, change.budgets);
    state.dueAt = change.dueAt;
    state.uncleanSince = null;
    done = true;
    return { kind: "committed", head: state.head.seq };
  } finally {
    if (!done) rows.takeBack();
  }
}

function refused(violation: Violation): CommitAnswer {
  return { kind: "refused", ...violation };
}

function findGap(change: Change): Violation | null {
  const wrong = change.records.find(
    (record: SealedRecord, index) => record.seq !== change.expectedHead + 1 + index,
  );
  if (wrong === undefined) return null;
  const note = `record ${wrong.seq} does not follow head ${change.expectedHead} one by one`;
  return { constraint: "records_contiguous", note };
}
