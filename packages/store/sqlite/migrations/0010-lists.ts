import type { Migration } from "../migrations.ts";

/**
 * Every list of the port has an index in its order. What is summed up for limits no longer hangs
 * on the state of a call: it was written three times for each.
 */
export const lists: Migration = {
  version: 10,
  name: "lists",
  sql: `
CREATE INDEX runs_by_number ON runs (workflow, length(run_id), run_id);
CREATE INDEX runs_ended_badly ON runs (workflow, status, length(run_id), run_id)
  WHERE (status = 'failed:logic' OR status = 'failed:internal' OR status = 'crashed'
    OR status = 'aborted');
CREATE INDEX inputs_by_time ON inputs (workflow, created_at, input_id);
CREATE INDEX events_by_position ON events (workflow, topic, position);
CREATE INDEX events_seen ON events (workflow, position)
  WHERE status = 'consumed' AND delivery_count = 0;
CREATE INDEX mutations_by_number ON mutations (workflow, length(mutation_id), mutation_id);
CREATE INDEX mutations_not_applied
  ON mutations (workflow, state, length(mutation_id), mutation_id)
  WHERE (state = 'awaiting_approval' OR state = 'ready' OR state = 'in_flight'
    OR state = 'needs_reconcile' OR state = 'indeterminate' OR state = 'failed');
CREATE INDEX verdicts_by_position ON verdicts (workflow, position);
CREATE INDEX verdicts_of_versions ON verdicts (workflow, position)
  WHERE kind = 'activate_version';

DROP INDEX mutations_by_operation;
CREATE INDEX mutations_by_operation
  ON mutations (workflow, connection, operation, recorded_at, amount, mutation_id);
CREATE INDEX mutations_failed
  ON mutations (workflow, connection, operation, recorded_at, amount, mutation_id)
  WHERE state = 'failed';
`,
};
