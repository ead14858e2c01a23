import type { Migration } from "../migrations.ts";

/**
 * What tells a store that was restored: its name before, and the last times it was opened, which
 * the note beside it has too. The table of questions is made anew, for two more kinds.
 */
export const restore: Migration = {
  version: 6,
  name: "restore",
  sql: `
ALTER TABLE store_meta ADD COLUMN restored_from TEXT;
ALTER TABLE store_meta ADD COLUMN opened_as TEXT;
ALTER TABLE store_meta ADD COLUMN opened_before TEXT;

ALTER TABLE workflows ADD COLUMN store_incarnation TEXT;
ALTER TABLE workflows ADD COLUMN restored_through INTEGER;
ALTER TABLE workflows ADD COLUMN behind_restore TEXT;
ALTER TABLE events ADD COLUMN older INTEGER NOT NULL DEFAULT 0
  CONSTRAINT event_older_word CHECK (older IN (0, 1));

ALTER TABLE attentions RENAME TO attentions_before;
DROP INDEX attentions_open;
CREATE TABLE attentions (
  workflow TEXT NOT NULL,
  attention_id TEXT NOT NULL,
  kind TEXT NOT NULL CONSTRAINT attention_kind_word CHECK (
    kind = 'approval' OR kind = 'outcome_unknown' OR kind = 'action_needed'
    OR kind = 'retries_exhausted' OR kind = 'run_failed' OR kind = 'crash_loop'
    OR kind = 'happened_after_all' OR kind = 'ledger_may_be_older_than_world'
    OR kind = 'may_have_happened'),
  subject TEXT,
  note TEXT NOT NULL,
  answers TEXT NOT NULL,
  opened_at INTEGER NOT NULL,
  closed_at INTEGER,
  closed_by TEXT,
  answer TEXT,
  PRIMARY KEY (workflow, attention_id)
) STRICT;
INSERT INTO attentions (workflow, attention_id, kind, subject, note, answers, opened_at,
    closed_at, closed_by, answer)
  SELECT workflow, attention_id, kind, subject, note, answers, opened_at, closed_at, closed_by,
    answer FROM attentions_before;
DROP TABLE attentions_before;
CREATE INDEX attentions_open ON attentions (workflow) WHERE closed_at IS NULL;
`,
};
