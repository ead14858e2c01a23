import type { Migration } from "../migrations.ts";

/** What a store was called before it was restored, and what is known of that by its workflows. */
export const restore: Migration = {
  version: 8,
  name: "restore",
  sql: `
LOCK TABLE holdfast.workflows, holdfast.events, holdfast.attentions, holdfast.store_meta
  IN ACCESS EXCLUSIVE MODE;

ALTER TABLE holdfast.store_meta ADD COLUMN restored_from text;

ALTER TABLE holdfast.workflows
  ADD COLUMN store_incarnation text,
  ADD COLUMN restored_through bigint,
  ADD COLUMN behind_restore text;

ALTER TABLE holdfast.events ADD COLUMN older bigint NOT NULL DEFAULT 0
  CONSTRAINT event_older_word CHECK (older IN (0, 1));

ALTER TABLE holdfast.attentions
  DROP CONSTRAINT attention_kind_word,
  ADD CONSTRAINT attention_kind_word CHECK (kind IN (
    'approval', 'outcome_unknown', 'action_needed', 'retries_exhausted', 'run_failed',
    'crash_loop', 'happened_after_all', 'ledger_may_be_older_than_world', 'may_have_happened'));
`,
};
