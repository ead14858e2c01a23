import type { Migration } from "../migrations.ts";

/** What a workflow may do outside, by which grant a call is there, and what counts as used. */
export const grants: Migration = {
  version: 8,
  name: "grants",
  sql: `
ALTER TABLE workflows ADD COLUMN envelope INTEGER DEFAULT 0;
ALTER TABLE workflows ADD COLUMN deployed_by TEXT;
ALTER TABLE mutations ADD COLUMN verdict TEXT;
ALTER TABLE mutations ADD COLUMN amount INTEGER;

CREATE TABLE envelopes (
  workflow TEXT NOT NULL,
  number INTEGER NOT NULL,
  grants_digest TEXT NOT NULL,
  grants_size INTEGER NOT NULL,
  grants_inline BLOB,
  set_by TEXT NOT NULL,
  set_at INTEGER NOT NULL,
  PRIMARY KEY (workflow, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX mutations_by_operation
  ON mutations (workflow, connection, operation, recorded_at, amount, mutation_id)
  WHERE state <> 'failed';
`,
};
