import type { Migration } from "../migrations.ts";

/**
 * Row tables carry the core's columns in the core's order (columns.ts). WITHOUT ROWID where rows
 * are short: one tree instead of two. Tables with payloads keep a rowid: long rows inside an
 * index tree make it deep, and rows of one time stay together on disk, which keeps `peek` flat.
 * Words are compared one by one: for an IN of more than two, SQLite builds a table in memory each
 * time a row is written, five of them for one `applied`.
 */
export const tables: Migration = {
  version: 1,
  name: "tables",
  sql: `
CREATE TABLE store_meta (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  schema_version INTEGER NOT NULL,
  store_incarnation TEXT NOT NULL
) STRICT;

CREATE TABLE hosts (
  incarnation TEXT PRIMARY KEY,
  lease_ms INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Control columns first, then the projected row: all null until the workflow_created fact.
CREATE TABLE workflows (
  id TEXT PRIMARY KEY,
  head INTEGER NOT NULL DEFAULT 0,
  head_hash TEXT NOT NULL,
  head_at INTEGER NOT NULL DEFAULT 0,
  epoch INTEGER NOT NULL DEFAULT 0,
  owner TEXT,
  due_at INTEGER,
  inbox_tail INTEGER NOT NULL DEFAULT 0,
  fact_version INTEGER NOT NULL DEFAULT 0,
  name TEXT,
  status TEXT CONSTRAINT workflow_status_word CHECK (
    status = 'active' OR status = 'paused' OR status = 'archived'),
  error TEXT,
  version_major INTEGER,
  version_minor INTEGER,
  script_hash TEXT,
  inbox_through INTEGER,
  checkpoint_seq INTEGER,
  created_at INTEGER,
  CONSTRAINT workflow_row_whole CHECK (
    (name IS NULL) = (status IS NULL) AND (name IS NULL) = (version_major IS NULL)
    AND (name IS NULL) = (version_minor IS NULL) AND (name IS NULL) = (inbox_through IS NULL)
    AND (name IS NULL) = (checkpoint_seq IS NULL) AND (name IS NULL) = (created_at IS NULL)
  )
) STRICT, WITHOUT ROWID;
CREATE INDEX workflows_by_due ON workflows (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX workflows_by_owner ON workflows (owner) WHERE owner IS NOT NULL;
CREATE INDEX workflows_with_inbox ON workflows (id) WHERE inbox_tail > coalesce(inbox_through, 0);

CREATE TABLE journal (
  workflow TEXT NOT NULL,
  seq INTEGER NOT NULL,
  hash TEXT NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (workflow, seq)
) STRICT;

CREATE TABLE blobs (
  workflow TEXT NOT NULL,
  hash TEXT NOT NULL,
  size INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  touched_at INTEGER NOT NULL,
  PRIMARY KEY (workflow, hash)
) STRICT;

-- at: the sender's clock; appended_at: the store's, which alone says how long a command waits.
CREATE TABLE commands (
  workflow TEXT NOT NULL,
  position INTEGER NOT NULL,
  command_id TEXT NOT NULL,
  actor TEXT NOT NULL,
  kind TEXT NOT NULL,
  body BLOB NOT NULL,
  at INTEGER NOT NULL,
  appended_at INTEGER NOT NULL,
  PRIMARY KEY (workflow, position),
  UNIQUE (workflow, command_id)
) STRICT;

-- low_water: every event of the topic below that position is consumed or skipped.
CREATE TABLE topics (
  workflow TEXT NOT NULL,
  low_water INTEGER NOT NULL DEFAULT 0,
  name TEXT NOT NULL,
  subscriber TEXT,
  observed INTEGER NOT NULL CONSTRAINT topic_observed_word CHECK (observed IN (0, 1)),
  last_pending_seq INTEGER NOT NULL,
  declared INTEGER NOT NULL CONSTRAINT topic_declared_word CHECK (declared IN (0, 1)),
  PRIMARY KEY (workflow, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE handlers (
  workflow TEXT NOT NULL,
  name TEXT NOT NULL,
  kind TEXT NOT NULL
    CONSTRAINT handler_kind_word CHECK (kind = 'producer' OR kind = 'consumer' OR kind = 'job'),
  subscribe TEXT NOT NULL,
  publishes TEXT,
  on_mutation_failed TEXT NOT NULL
    CONSTRAINT handler_failed_word CHECK (
      on_mutation_failed = 'prepare' OR on_mutation_failed = 'replay'),
  catch_up TEXT NOT NULL CONSTRAINT handler_catch_up_word CHECK (
    catch_up = 'once' OR catch_up = 'skip'),
  declared INTEGER NOT NULL CONSTRAINT handler_declared_word CHECK (declared IN (0, 1)),
  state_digest TEXT,
  state_size INTEGER,
  state_inline BLOB,
  checked_through INTEGER NOT NULL,
  wake_at INTEGER,
  next_run_at INTEGER,
  crash_count INTEGER NOT NULL,
  PRIMARY KEY (workflow, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE handler_kv (
  workflow TEXT NOT NULL,
  handler TEXT NOT NULL,
  key TEXT NOT NULL,
  value_digest TEXT NOT NULL,
  value_size INTEGER NOT NULL,
  value_inline BLOB,
  PRIMARY KEY (workflow, handler, key)
) STRICT;

CREATE TABLE inputs (
  workflow TEXT NOT NULL,
  input_id TEXT NOT NULL,
  source TEXT NOT NULL,
  type TEXT NOT NULL,
  external_id TEXT NOT NULL,
  title TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  skipped_at INTEGER,
  PRIMARY KEY (workflow, input_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE runs (
  workflow TEXT NOT NULL,
  run_id TEXT NOT NULL,
  handler TEXT NOT NULL,
  kind TEXT NOT NULL CONSTRAINT run_kind_word CHECK (
    kind = 'producer' OR kind = 'consumer' OR kind = 'job'),
  phase TEXT NOT NULL CONSTRAINT run_phase_word CHECK (
    phase = 'preparing' OR phase = 'prepared' OR phase = 'mutating' OR phase = 'mutated'
    OR phase = 'emitting' OR phase = 'executing' OR phase = 'committed'),
  status TEXT NOT NULL CONSTRAINT run_status_word CHECK (
    status = 'active' OR status = 'paused:transient' OR status = 'paused:approval'
    OR status = 'paused:reconciliation' OR status = 'paused:user' OR status = 'failed:logic'
    OR status = 'failed:internal' OR status = 'aborted' OR status = 'committed'
    OR status = 'crashed'),
  reason TEXT CONSTRAINT run_reason_word CHECK (
    reason = 'backoff' OR reason = 'rate_limit' OR reason = 'approval' OR reason = 'auth'
    OR reason = 'permission' OR reason = 'precondition' OR reason = 'budget' OR reason = 'brake'
    OR reason = 'uncertain' OR reason = 'user'),
  due_at INTEGER,
  retry_of TEXT,
  root_run_id TEXT NOT NULL,
  superseded_by TEXT,
  retry_from TEXT CONSTRAINT run_retry_word CHECK (
    retry_from = 'preparing' OR retry_from = 'mutating' OR retry_from = 'emitting'
    OR retry_from = 'executing'),
  open INTEGER NOT NULL CONSTRAINT run_open_word CHECK (open IN (0, 1)),
  as_of INTEGER NOT NULL,
  trigger TEXT,
  selection_id TEXT,
  ui_title TEXT,
  prepare_result_digest TEXT,
  prepare_result_size INTEGER,
  prepare_result_inline BLOB,
  prepared_at INTEGER,
  outcome TEXT CONSTRAINT run_outcome_word CHECK (
    outcome = 'applied' OR outcome = 'none' OR outcome = 'skipped'),
  mutation_id TEXT,
  version TEXT NOT NULL,
  transient_count INTEGER NOT NULL,
  failure TEXT,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  PRIMARY KEY (workflow, run_id)
) STRICT;
CREATE UNIQUE INDEX one_open_run ON runs (workflow) WHERE open = 1;
CREATE UNIQUE INDEX retry_once ON runs (workflow, retry_of) WHERE retry_of IS NOT NULL;

CREATE TABLE reservations (
  workflow TEXT NOT NULL,
  run_id TEXT NOT NULL,
  topic TEXT NOT NULL,
  message_id TEXT NOT NULL,
  revision INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  PRIMARY KEY (workflow, run_id, topic, message_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
  workflow TEXT NOT NULL,
  topic TEXT NOT NULL,
  message_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  status TEXT NOT NULL
    CONSTRAINT event_status_word CHECK (
      status = 'pending' OR status = 'reserved' OR status = 'consumed' OR status = 'skipped'),
  reserved_by TEXT,
  payload_digest TEXT NOT NULL,
  payload_size INTEGER NOT NULL,
  payload_inline BLOB,
  title TEXT,
  created_by TEXT,
  caused_by TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  delivery_count INTEGER NOT NULL,
  late_count INTEGER NOT NULL,
  PRIMARY KEY (workflow, topic, message_id),
  CONSTRAINT event_reserved_iff_held CHECK ((status = 'reserved') = (reserved_by IS NOT NULL)),
  FOREIGN KEY (workflow, reserved_by, topic, message_id)
    REFERENCES reservations (workflow, run_id, topic, message_id)
) STRICT;
-- What peek walks: settled events leave it, so it is as long as the work still to do.
CREATE INDEX events_unsettled ON events (workflow, topic, position)
  WHERE status = 'pending' OR status = 'reserved';
-- All four columns: the foreign key finds its children here too.
CREATE INDEX events_held ON events (workflow, reserved_by, topic, message_id)
  WHERE reserved_by IS NOT NULL;

CREATE TABLE event_inputs (
  workflow TEXT NOT NULL,
  input_id TEXT NOT NULL,
  topic TEXT NOT NULL,
  message_id TEXT NOT NULL,
  PRIMARY KEY (workflow, input_id, topic, message_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE mutations (
  workflow TEXT NOT NULL,
  mutation_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  handler TEXT NOT NULL,
  scope_id TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  call_no INTEGER NOT NULL,
  connection TEXT NOT NULL,
  operation TEXT NOT NULL,
  connector_version TEXT NOT NULL,
  target TEXT NOT NULL,
  identity_digest TEXT NOT NULL,
  identity_size INTEGER NOT NULL,
  identity_inline BLOB,
  payload_digest TEXT NOT NULL,
  payload_size INTEGER NOT NULL,
  payload_inline BLOB,
  mutation_key TEXT NOT NULL,
  payload_hash TEXT NOT NULL,
  intent_hash TEXT NOT NULL,
  provider_key TEXT NOT NULL,
  state TEXT NOT NULL CONSTRAINT mutation_state_word CHECK (
    state = 'awaiting_approval' OR state = 'ready' OR state = 'in_flight'
    OR state = 'needs_reconcile' OR state = 'indeterminate' OR state = 'applied'
    OR state = 'failed'),
  can_reconcile INTEGER NOT NULL CONSTRAINT mutation_can_word CHECK (can_reconcile IN (0, 1)),
  retention_ms INTEGER,
  visibility_delay_ms INTEGER,
  sender_incarnation TEXT,
  sender_epoch INTEGER,
  send_by INTEGER,
  timeout_ms INTEGER,
  quiet_from INTEGER,
  first_sent_at INTEGER,
  send_count INTEGER NOT NULL,
  reconcile_count INTEGER NOT NULL,
  reconcile_since INTEGER,
  next_attempt_at INTEGER,
  result_digest TEXT,
  result_size INTEGER,
  result_inline BLOB,
  failure TEXT,
  resolution TEXT,
  approval TEXT,
  ui_title TEXT,
  recorded_at INTEGER NOT NULL,
  settled_at INTEGER,
  PRIMARY KEY (workflow, mutation_id)
) STRICT;
CREATE INDEX mutations_by_run ON mutations (workflow, run_id);
CREATE INDEX mutations_by_key ON mutations (workflow, mutation_key);

CREATE TABLE mutation_evidence (
  workflow TEXT NOT NULL,
  mutation_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  kind TEXT NOT NULL CONSTRAINT evidence_kind_word CHECK (
    kind = 'response' OR kind = 'error' OR kind = 'reconcile' OR kind = 'unsent'
    OR kind = 'recovery' OR kind = 'late' OR kind = 'answer'),
  says TEXT NOT NULL
    CONSTRAINT evidence_says_word CHECK (
      says = 'applied' OR says = 'failed' OR says = 'unknown' OR says = 'not_sent'),
  body_digest TEXT,
  body_size INTEGER,
  body_inline BLOB,
  note TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (workflow, mutation_id, seq)
) STRICT, WITHOUT ROWID;

-- Same columns as the core's key, but the event leads: the guard of events looks here.
CREATE TABLE mutation_inputs (
  workflow TEXT NOT NULL,
  consumer TEXT NOT NULL,
  topic TEXT NOT NULL,
  message_id TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  mutation_id TEXT NOT NULL,
  PRIMARY KEY (workflow, topic, message_id, attempt, consumer)
) STRICT, WITHOUT ROWID;

CREATE TABLE attentions (
  workflow TEXT NOT NULL,
  attention_id TEXT NOT NULL,
  kind TEXT NOT NULL CONSTRAINT attention_kind_word CHECK (
    kind = 'approval' OR kind = 'outcome_unknown' OR kind = 'action_needed'
    OR kind = 'retries_exhausted' OR kind = 'run_failed' OR kind = 'crash_loop'
    OR kind = 'happened_after_all'),
  subject TEXT,
  note TEXT NOT NULL,
  answers TEXT NOT NULL,
  opened_at INTEGER NOT NULL,
  closed_at INTEGER,
  closed_by TEXT,
  answer TEXT,
  PRIMARY KEY (workflow, attention_id)
) STRICT;
CREATE INDEX attentions_open ON attentions (workflow) WHERE closed_at IS NULL;

CREATE TABLE brakes (
  workflow TEXT NOT NULL,
  operation TEXT NOT NULL,
  reason TEXT NOT NULL,
  set_by TEXT NOT NULL,
  set_at INTEGER NOT NULL,
  PRIMARY KEY (workflow, operation)
) STRICT, WITHOUT ROWID;

CREATE TABLE verdicts (
  workflow TEXT NOT NULL,
  command_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  kind TEXT NOT NULL,
  actor TEXT NOT NULL,
  accepted INTEGER NOT NULL CONSTRAINT verdict_accepted_word CHECK (accepted IN (0, 1)),
  refusal TEXT,
  note TEXT NOT NULL,
  answered_at INTEGER NOT NULL,
  PRIMARY KEY (workflow, command_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE skipped_firings (
  workflow TEXT NOT NULL,
  handler TEXT NOT NULL,
  due_at INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (workflow, handler, due_at, seq)
) STRICT, WITHOUT ROWID;
`,
};
