import type { Migration } from "../migrations.ts";

/** What several workflows spend from together: by which name, and how far it has moved. */
export const budgets: Migration = {
  version: 9,
  name: "budgets",
  sql: `
ALTER TABLE mutations ADD COLUMN budget TEXT;

CREATE TABLE budgets (
  name TEXT PRIMARY KEY,
  version INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX mutations_by_budget
  ON mutations (budget, coalesce(first_sent_at, recorded_at), amount, workflow, mutation_id)
  WHERE budget IS NOT NULL AND state <> 'failed';
`,
};
