import type { Migration } from "../migrations.ts";

/** A call counts against limits from its last send, and from its record if it was never sent. */
export const countedSends: Migration = {
  version: 24,
  name: "counted-sends",
  sql: `
ALTER TABLE mutations ADD COLUMN counted_at INTEGER;

DROP INDEX mutations_by_operation;
CREATE INDEX mutations_by_operation ON mutations (
  workflow, connection, operation, coalesce(counted_at, first_sent_at, recorded_at),
  amount, mutation_id);

DROP INDEX mutations_failed;
CREATE INDEX mutations_failed ON mutations (
  workflow, connection, operation, coalesce(counted_at, first_sent_at, recorded_at),
  amount, mutation_id)
  WHERE state = 'failed';

DROP INDEX mutations_by_budget;
CREATE INDEX mutations_by_budget ON mutations (
  budget, coalesce(counted_at, first_sent_at, recorded_at), amount, workflow, mutation_id)
  WHERE budget IS NOT NULL AND state <> 'failed';
`,
};
