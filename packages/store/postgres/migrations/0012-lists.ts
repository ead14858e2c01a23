import type { Migration } from "../migrations.ts";

/** Every list of the port has an index in its order. */
export const lists: Migration = {
  version: 12,
  name: "lists",
  sql: `
CREATE INDEX runs_by_number ON holdfast.runs (workflow, length(run_id), run_id);
CREATE INDEX runs_ended_badly ON holdfast.runs (workflow, status, length(run_id), run_id)
  WHERE (status = 'failed:logic' OR status = 'failed:internal' OR status = 'crashed'
    OR status = 'aborted');
CREATE INDEX inputs_by_time ON holdfast.inputs (workflow, created_at, input_id);
CREATE INDEX events_by_position ON holdfast.events (workflow, topic, position);
CREATE INDEX events_seen ON holdfast.events (workflow, position)
  WHERE status = 'consumed' AND delivery_count = 0;
CREATE INDEX mutations_by_number ON holdfast.mutations (workflow, length(mutation_id), mutation_id);
CREATE INDEX mutations_not_applied
  ON holdfast.mutations (workflow, state, length(mutation_id), mutation_id)
  WHERE (state = 'awaiting_approval' OR state = 'ready' OR state = 'in_flight'
    OR state = 'needs_reconcile' OR state = 'indeterminate' OR state = 'failed');
CREATE INDEX verdicts_by_position ON holdfast.verdicts (workflow, position);
CREATE INDEX verdicts_of_versions ON holdfast.verdicts (workflow, position)
  WHERE kind = 'activate_version';
`,
};
