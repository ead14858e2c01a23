import type { Migration } from "../migrations.ts";

/** Versions that are to be tried and agreed to before they are active. */
export const proposals: Migration = {
  version: 17,
  name: "proposals",
  sql: `
ALTER TABLE workflows ADD COLUMN definitions TEXT;
ALTER TABLE workflows ADD COLUMN proposal_count INTEGER DEFAULT 0;
ALTER TABLE workflows ADD COLUMN applying INTEGER;

CREATE TABLE proposals (
  workflow TEXT NOT NULL,
  number INTEGER NOT NULL,
  status TEXT NOT NULL CONSTRAINT proposal_status_word CHECK (
    status = 'submitted' OR status = 'shadowed' OR status = 'approved' OR status = 'rejected'
    OR status = 'applied'),
  version TEXT NOT NULL,
  script_hash TEXT NOT NULL,
  base TEXT NOT NULL,
  body_digest TEXT NOT NULL,
  body_size INTEGER NOT NULL,
  body_inline BLOB,
  changes TEXT NOT NULL,
  description TEXT,
  author TEXT NOT NULL,
  proposed_at INTEGER NOT NULL,
  report_digest TEXT,
  report_size INTEGER,
  report_inline BLOB,
  shadowed_by TEXT,
  shadowed_at INTEGER,
  decided_by TEXT,
  decided_at INTEGER,
  reason TEXT,
  asked_by TEXT,
  asked_at INTEGER,
  waits INTEGER NOT NULL,
  obstacles_digest TEXT,
  obstacles_size INTEGER,
  obstacles_inline BLOB,
  applied_at INTEGER,
  PRIMARY KEY (workflow, number)
) STRICT;

-- A number is never used again, and what was decided is not undone.
CREATE TRIGGER proposals_kept BEFORE DELETE ON proposals
BEGIN SELECT RAISE(ABORT, 'proposals_kept'); END;
CREATE TRIGGER proposals_final BEFORE UPDATE ON proposals
WHEN OLD.status = 'rejected' OR OLD.status = 'applied'
BEGIN SELECT RAISE(ABORT, 'proposals_kept'); END;
`,
};
