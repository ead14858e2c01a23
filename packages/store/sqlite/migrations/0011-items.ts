import type { Migration } from "../migrations.ts";

/**
 * The items of jobs and their calls. A run of a consumer has one live mutation; a run of a job, and
 * an item, one unsettled one, and no two with the same key but for failed ones. The table of
 * questions is made anew, for one more kind.
 */
export const items: Migration = {
  version: 11,
  name: "items",
  sql: `
ALTER TABLE handlers ADD COLUMN fresh_from INTEGER;
ALTER TABLE handlers ADD COLUMN forms TEXT;
ALTER TABLE runs ADD COLUMN item_id TEXT;
ALTER TABLE mutations ADD COLUMN item_id TEXT;
ALTER TABLE mutations ADD COLUMN subkey TEXT;
ALTER TABLE mutations ADD COLUMN proposed_digest TEXT;
ALTER TABLE mutations ADD COLUMN proposed_size INTEGER;
ALTER TABLE mutations ADD COLUMN proposed_inline BLOB;
ALTER TABLE mutations ADD COLUMN accepted_hash TEXT;

CREATE INDEX mutations_by_item ON mutations (workflow, item_id, attempt)
  WHERE item_id IS NOT NULL;
-- Small at any time: what is settled leaves it.
CREATE INDEX mutations_of_items_open ON mutations (workflow, run_id, item_id)
  WHERE item_id IS NOT NULL AND state <> 'applied' AND state <> 'failed';

CREATE TABLE items (
  workflow TEXT NOT NULL,
  item_id TEXT NOT NULL,
  handler TEXT NOT NULL,
  title TEXT NOT NULL,
  status TEXT NOT NULL CONSTRAINT item_status_word CHECK (
    status = 'processing' OR status = 'done' OR status = 'failed' OR status = 'skipped'
    OR status = 'needs_attention'),
  attempt INTEGER NOT NULL,
  position INTEGER NOT NULL,
  touched_seq INTEGER NOT NULL,
  created_by TEXT NOT NULL,
  last_run_id TEXT NOT NULL,
  mutation_id TEXT,
  older INTEGER NOT NULL CONSTRAINT item_older_word CHECK (older IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (workflow, item_id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER item_edge BEFORE UPDATE OF status ON items
WHEN NOT CASE OLD.status
  WHEN 'processing' THEN
    NEW.status = 'done' OR NEW.status = 'failed' OR NEW.status = 'needs_attention'
  WHEN 'done' THEN NEW.status = 'processing'
  WHEN 'failed' THEN NEW.status <> 'failed'
  WHEN 'skipped' THEN NEW.status = 'processing'
  WHEN 'needs_attention' THEN NEW.status = 'skipped' OR NEW.status = 'processing'
  ELSE 0 END
BEGIN SELECT RAISE(ABORT, 'item_edge'); END;

CREATE TRIGGER items_kept BEFORE DELETE ON items
BEGIN SELECT RAISE(ABORT, 'items_kept'); END;

DROP TRIGGER one_live_mutation;
CREATE TRIGGER one_live_mutation BEFORE INSERT ON mutations
WHEN NEW.state <> 'failed' AND NEW.item_id IS NULL AND EXISTS (
  SELECT 1 FROM mutations WHERE workflow = NEW.workflow AND run_id = NEW.run_id
    AND state <> 'failed')
BEGIN SELECT RAISE(ABORT, 'one_live_mutation'); END;

CREATE TRIGGER one_open_item_mutation BEFORE INSERT ON mutations
WHEN NEW.state <> 'failed' AND NEW.item_id IS NOT NULL AND EXISTS (
  SELECT 1 FROM mutations INDEXED BY mutations_of_items_open WHERE workflow = NEW.workflow
    AND item_id IS NOT NULL AND state <> 'applied' AND state <> 'failed'
    AND (run_id = NEW.run_id OR item_id = NEW.item_id)
    AND (resolution IS NULL OR json_extract(resolution, '$.kind') <> 'skip'))
BEGIN SELECT RAISE(ABORT, 'one_live_mutation'); END;

-- The promise, for items: what was applied, or may have been, is not there a second time.
CREATE TRIGGER item_mutation_once BEFORE INSERT ON mutations
WHEN NEW.state <> 'failed' AND NEW.item_id IS NOT NULL AND EXISTS (
  SELECT 1 FROM mutations WHERE workflow = NEW.workflow AND mutation_key = NEW.mutation_key
    AND state <> 'failed')
BEGIN SELECT RAISE(ABORT, 'item_mutation_once'); END;

CREATE TRIGGER item_mutation_fixed BEFORE UPDATE OF item_id, attempt, mutation_key ON mutations
BEGIN SELECT RAISE(ABORT, 'item_mutation_once'); END;

ALTER TABLE attentions RENAME TO attentions_before;
DROP INDEX attentions_open;
DROP INDEX attentions_by_time;
DROP INDEX attentions_open_by_time;
CREATE TABLE attentions (
  workflow TEXT NOT NULL,
  attention_id TEXT NOT NULL,
  kind TEXT NOT NULL CONSTRAINT attention_kind_word CHECK (
    kind = 'approval' OR kind = 'outcome_unknown' OR kind = 'action_needed'
    OR kind = 'retries_exhausted' OR kind = 'run_failed' OR kind = 'crash_loop'
    OR kind = 'happened_after_all' OR kind = 'ledger_may_be_older_than_world'
    OR kind = 'may_have_happened' OR kind = 'payload_differs'),
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
CREATE INDEX attentions_by_time ON attentions (workflow, opened_at, attention_id);
CREATE INDEX attentions_open_by_time ON attentions (opened_at, workflow, attention_id)
  WHERE closed_at IS NULL;
`,
};
