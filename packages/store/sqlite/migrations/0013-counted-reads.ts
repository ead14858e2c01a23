import type { Migration } from "../migrations.ts";

/** Reads and metered calls whose grant limits them: they are in no ledger, so they are counted. */
export const countedReads: Migration = {
  version: 13,
  name: "counted reads",
  sql: `
CREATE TABLE counted_reads (
  workflow TEXT NOT NULL,
  read_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  connection TEXT NOT NULL,
  operation TEXT NOT NULL,
  at INTEGER NOT NULL,
  amount INTEGER,
  budget TEXT,
  PRIMARY KEY (workflow, read_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX counted_reads_by_operation
  ON counted_reads (workflow, connection, operation, at, amount, run_id);

CREATE INDEX counted_reads_by_budget
  ON counted_reads (budget, at, amount) WHERE budget IS NOT NULL;
`,
};
