import type { Migration } from "../migrations.ts";

/**
 * What payloads must be, what was pushed to webhooks, what was asked for or let pass, and what a
 * version declared that the next one is compared with.
 */
export const producers: Migration = {
  version: 5,
  name: "producers",
  sql: `
ALTER TABLE topics ADD COLUMN schema TEXT;

ALTER TABLE handlers ADD COLUMN webhook INTEGER NOT NULL DEFAULT 0
  CONSTRAINT handler_webhook_word CHECK (webhook IN (0, 1));
ALTER TABLE handlers ADD COLUMN waiting_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE handlers ADD COLUMN called_at INTEGER;
ALTER TABLE handlers ADD COLUMN start TEXT NOT NULL DEFAULT '';

ALTER TABLE workflows ADD COLUMN connections TEXT;
ALTER TABLE runs ADD COLUMN script_hash TEXT;

ALTER TABLE skipped_firings ADD COLUMN firing_count INTEGER NOT NULL DEFAULT 1;

CREATE TABLE deliveries (
  workflow TEXT NOT NULL,
  input_id TEXT NOT NULL,
  handler TEXT NOT NULL,
  delivery_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  status TEXT NOT NULL CONSTRAINT delivery_status_word CHECK (
    status = 'waiting' OR status = 'taken' OR status = 'skipped'),
  run_id TEXT,
  body_digest TEXT NOT NULL,
  body_size INTEGER NOT NULL,
  body_inline BLOB,
  received_at INTEGER NOT NULL,
  PRIMARY KEY (workflow, input_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX deliveries_waiting ON deliveries (workflow, handler, position)
  WHERE status = 'waiting';
`,
};
