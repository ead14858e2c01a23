/**
 * What every store refuses, whatever the core asks: the second guard. The names are part of the
 * answer `{ kind: "refused", constraint }`, so each adapter uses exactly these.
 *
 * All are judged row by row in the order of the change, as a database does, never at its end:
 * a change that is right only as a whole but wrong half-way is refused. For a retry run this
 * means: new reservations, events to the new run, old run closed, new run opened.
 */
export const constraintNames = {
  records_contiguous: "Records follow the head one by one.",
  row_exists: "A row is inserted only where there is none.",
  row_missing: "Only a row that is there is updated or deleted.",
  key_fixed: "An update names no column of the row's key.",
  column_known: "A row change names only columns that its table has.",
  value_fits_column: "Every value is of its column's kind, and null only where that may be.",
  word_known: "A column of words.ts holds one of its words; an update may break its edge first.",
  one_open_run: "A workflow has at most one run with open = true.",
  retry_once: "A run is retried at most once: retryOf is unique.",
  run_status_edge: "An update that names runs.status follows runStatusEdges.",
  run_phase_edge: "An update that names runs.phase follows runPhaseEdges.",
  run_closes_without_events: "A run does not close while an event has it as reservedBy.",
  workflow_edge: "An update that names workflows.status follows workflowStatusEdges.",
  events_kept: "No event is deleted.",
  event_edge: "An update that names events.status follows eventStatusEdges.",
  event_reserved_iff_held: "Status is reserved exactly when reservedBy is not null.",
  reservation_exists: "An event is held only by a run with a reservation row for it.",
  event_behind_mutation:
    "No event is pending while mutation_inputs has its (topic, messageId, attempt).",
  ledger_edge: "An update that names mutations.state follows ledgerStateEdges.",
  one_live_mutation:
    "A consumer's run has at most one mutation that has not failed, a job's run and an item at " +
    "most one that is neither settled nor given up on, and no update names its runId.",
  item_mutation_once:
    "No two mutations of items that have not failed have one key, and no update names their item.",
  item_edge: "An update that names items.status follows itemStatusEdges.",
  items_kept: "No item is deleted.",
  machine_frames_kept: "No frame of machines is updated or deleted.",
  machine_frame_follows: "A frame of machines begins with the record after the last one.",
  proposals_kept: "No proposal is deleted, and none that is rejected or applied is updated.",
  mutations_kept: "The ledger forgets nothing: no mutation is deleted.",
  mutation_inputs_kept:
    "A row of mutation_inputs is never updated, and deleted only when its mutation is failed.",
  mutation_inputs_once:
    "(consumer, topic, messageId, attempt) is behind one mutation; takes the place of row_exists.",
} as const;

export type ConstraintName = keyof typeof constraintNames;
