import type { Migration } from "../migrations.ts";

/** What waits for machines, what their kernel has recorded, and their intents that are not done. */
export const machines: Migration = {
  version: 14,
  name: "machines",
  sql: `
ALTER TABLE workflows ADD COLUMN machine_seq INTEGER DEFAULT 0;
ALTER TABLE workflows ADD COLUMN machine_due_at INTEGER;
ALTER TABLE workflows ADD COLUMN machine_input_seq INTEGER DEFAULT 0;
ALTER TABLE workflows ADD COLUMN machine_through INTEGER DEFAULT 0;
ALTER TABLE topics ADD COLUMN machines INTEGER NOT NULL DEFAULT 0;

-- Small at any time: what is settled leaves it.
CREATE INDEX runs_of_intents ON runs (workflow) WHERE "trigger" = 'intent' AND ended_at IS NULL;

CREATE TABLE machine_inputs (
  workflow TEXT NOT NULL,
  position INTEGER NOT NULL,
  kind TEXT NOT NULL CONSTRAINT machine_input_kind_word CHECK (
    kind = 'manifest' OR kind = 'event' OR kind = 'direct' OR kind = 'cancel' OR kind = 'restart'
    OR kind = 'outcome'),
  body_digest TEXT NOT NULL,
  body_size INTEGER NOT NULL,
  body_inline BLOB,
  PRIMARY KEY (workflow, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE machine_frames (
  workflow TEXT NOT NULL,
  first_seq INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  body_digest TEXT NOT NULL,
  body_size INTEGER NOT NULL,
  body_inline BLOB,
  snapshot_digest TEXT,
  snapshot_size INTEGER,
  snapshot_inline BLOB,
  PRIMARY KEY (workflow, first_seq)
) STRICT;

-- The machines' journal only grows, by what follows it directly.
CREATE TRIGGER machine_frames_kept BEFORE DELETE ON machine_frames
BEGIN SELECT RAISE(ABORT, 'machine_frames_kept'); END;
CREATE TRIGGER machine_frames_fixed BEFORE UPDATE ON machine_frames
BEGIN SELECT RAISE(ABORT, 'machine_frames_kept'); END;
CREATE TRIGGER machine_frame_follows BEFORE INSERT ON machine_frames
WHEN NEW.first_seq <> 1 + coalesce((SELECT last_seq FROM machine_frames
  WHERE workflow = NEW.workflow ORDER BY first_seq DESC LIMIT 1), 0)
BEGIN SELECT RAISE(ABORT, 'machine_frame_follows'); END;
`,
};
