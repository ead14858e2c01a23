import type { Migration } from "../migrations.ts";

/**
 * Row tables carry the core's columns in the core's order (columns.ts), behind the workflow id,
 * which leads every key, so that tables can be partitioned or sharded by it. Keys sort by code
 * point whatever the database's own collation.
 */
export const tables: Migration = {
  version: 1,
  name: "tables",
  sql: `
CREATE TABLE holdfast.store_meta (
  only_row bigint PRIMARY KEY CHECK (only_row = 1),
  store_incarnation text NOT NULL,
  system_identifier text NOT NULL,
  timeline text NOT NULL,
  database text NOT NULL
);

-- buried_at: judged dead, for good; a heartbeat that comes later finds no lease to extend.
CREATE TABLE holdfast.hosts (
  incarnation text COLLATE "C" PRIMARY KEY,
  lease_ms bigint NOT NULL,
  expires_at bigint NOT NULL,
  buried_at bigint
) WITH (fillfactor = 50, autovacuum_vacuum_threshold = 100);

-- Control columns first, then the projected row: all null until the workflow_created fact.
-- unclean_since: when an owner died after whom nothing was committed yet.
CREATE TABLE holdfast.workflows (
  id text COLLATE "C" PRIMARY KEY,
  head bigint NOT NULL DEFAULT 0,
  head_hash text NOT NULL,
  head_at bigint NOT NULL DEFAULT 0,
  epoch bigint NOT NULL DEFAULT 0,
  owner text COLLATE "C",
  due_at bigint,
  unclean_since bigint,
  inbox_tail bigint NOT NULL DEFAULT 0,
  fact_version bigint NOT NULL DEFAULT 0,
  name text,
  status text CONSTRAINT workflow_status_word CHECK (status IN ('active', 'paused', 'archived')),
  error text,
  version_major bigint,
  version_minor bigint,
  script_hash text,
  inbox_through bigint,
  checkpoint_seq bigint,
  created_at bigint,
  CONSTRAINT workflow_row_whole CHECK (
    (name IS NULL) = (status IS NULL) AND (name IS NULL) = (version_major IS NULL)
    AND (name IS NULL) = (version_minor IS NULL) AND (name IS NULL) = (inbox_through IS NULL)
    AND (name IS NULL) = (checkpoint_seq IS NULL) AND (name IS NULL) = (created_at IS NULL)
  )
) WITH (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX workflows_by_due ON holdfast.workflows (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX workflows_by_owner ON holdfast.workflows (owner) WHERE owner IS NOT NULL;
CREATE INDEX workflows_unclean ON holdfast.workflows (unclean_since)
  WHERE unclean_since IS NOT NULL;
CREATE INDEX workflows_with_inbox ON holdfast.workflows (id)
  WHERE inbox_tail > coalesce(inbox_through, 0);

CREATE TABLE holdfast.journal (
  workflow text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  hash text NOT NULL,
  bytes bytea NOT NULL,
  written_in xid8 NOT NULL DEFAULT pg_current_xact_id(),
  PRIMARY KEY (workflow, seq)
);
-- The feed: transactions end in another order than they begin, so no serial number would do.
CREATE INDEX journal_by_transaction ON holdfast.journal (written_in);

CREATE TABLE holdfast.blobs (
  workflow text COLLATE "C" NOT NULL,
  hash text COLLATE "C" NOT NULL,
  size bigint NOT NULL,
  bytes bytea NOT NULL,
  touched_at bigint NOT NULL,
  PRIMARY KEY (workflow, hash)
);

-- at: the sender's clock; appended_at: the store's, which alone says how long a command waits.
CREATE TABLE holdfast.commands (
  workflow text COLLATE "C" NOT NULL,
  position bigint NOT NULL,
  command_id text COLLATE "C" NOT NULL,
  actor text NOT NULL,
  kind text NOT NULL,
  body bytea NOT NULL,
  at bigint NOT NULL,
  appended_at bigint NOT NULL,
  PRIMARY KEY (workflow, position),
  UNIQUE (workflow, command_id)
);

CREATE TABLE holdfast.topics (
  workflow text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  subscriber text,
  observed bigint NOT NULL CONSTRAINT topic_observed_word CHECK (observed IN (0, 1)),
  last_pending_seq bigint NOT NULL,
  declared bigint NOT NULL CONSTRAINT topic_declared_word CHECK (declared IN (0, 1)),
  PRIMARY KEY (workflow, name)
) WITH (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05);

-- Every event of the topic below the position is consumed or skipped; the highest no counts. Not a
-- column that is updated: while an old snapshot is open, each version of a row stays in the way of
-- every look at it, and peek looks here. The newest row is found first, however many are dead.
CREATE TABLE holdfast.low_water (
  workflow text COLLATE "C" NOT NULL,
  topic text COLLATE "C" NOT NULL,
  no bigint NOT NULL,
  position bigint NOT NULL,
  PRIMARY KEY (workflow, topic, no)
);

CREATE TABLE holdfast.handlers (
  workflow text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  kind text NOT NULL
    CONSTRAINT handler_kind_word CHECK (kind IN ('producer', 'consumer', 'job')),
  subscribe text NOT NULL,
  publishes text,
  on_mutation_failed text NOT NULL
    CONSTRAINT handler_failed_word CHECK (on_mutation_failed IN ('prepare', 'replay')),
  catch_up text NOT NULL CONSTRAINT handler_catch_up_word CHECK (catch_up IN ('once', 'skip')),
  declared bigint NOT NULL CONSTRAINT handler_declared_word CHECK (declared IN (0, 1)),
  state_digest text,
  state_size bigint,
  state_inline bytea,
  checked_through bigint NOT NULL,
  wake_at bigint,
  next_run_at bigint,
  crash_count bigint NOT NULL,
  PRIMARY KEY (workflow, name)
) WITH (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05);

CREATE TABLE holdfast.handler_kv (
  workflow text COLLATE "C" NOT NULL,
  handler text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  value_digest text NOT NULL,
  value_size bigint NOT NULL,
  value_inline bytea,
  PRIMARY KEY (workflow, handler, key)
);

CREATE TABLE holdfast.inputs (
  workflow text COLLATE "C" NOT NULL,
  input_id text COLLATE "C" NOT NULL,
  source text NOT NULL,
  type text NOT NULL,
  external_id text NOT NULL,
  title text NOT NULL,
  created_at bigint NOT NULL,
  skipped_at bigint,
  PRIMARY KEY (workflow, input_id)
);

CREATE TABLE holdfast.runs (
  workflow text COLLATE "C" NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  handler text NOT NULL,
  kind text NOT NULL CONSTRAINT run_kind_word CHECK (kind IN ('producer', 'consumer', 'job')),
  phase text NOT NULL CONSTRAINT run_phase_word CHECK (phase IN (
      'preparing', 'prepared', 'mutating', 'mutated', 'emitting', 'executing', 'committed')),
  status text NOT NULL CONSTRAINT run_status_word CHECK (status IN (
      'active', 'paused:transient', 'paused:approval', 'paused:reconciliation',
      'paused:user', 'failed:logic', 'failed:internal', 'aborted', 'committed', 'crashed')),
  reason text CONSTRAINT run_reason_word CHECK (reason IN (
      'backoff', 'rate_limit', 'approval', 'auth', 'permission', 'precondition', 'budget',
      'brake', 'uncertain', 'user')),
  due_at bigint,
  retry_of text COLLATE "C",
  root_run_id text NOT NULL,
  superseded_by text,
  retry_from text CONSTRAINT run_retry_word CHECK (retry_from IN (
      'preparing', 'mutating', 'emitting', 'executing')),
  open bigint NOT NULL CONSTRAINT run_open_word CHECK (open IN (0, 1)),
  as_of bigint NOT NULL,
  trigger text,
  selection_id text,
  ui_title text,
  prepare_result_digest text,
  prepare_result_size bigint,
  prepare_result_inline bytea,
  prepared_at bigint,
  outcome text CONSTRAINT run_outcome_word CHECK (outcome IN ('applied', 'none', 'skipped')),
  mutation_id text,
  version text NOT NULL,
  transient_count bigint NOT NULL,
  failure text,
  started_at bigint NOT NULL,
  ended_at bigint,
  PRIMARY KEY (workflow, run_id)
);
CREATE UNIQUE INDEX one_open_run ON holdfast.runs (workflow) WHERE open = 1;
CREATE UNIQUE INDEX retry_once ON holdfast.runs (workflow, retry_of) WHERE retry_of IS NOT NULL;

CREATE TABLE holdfast.reservations (
  workflow text COLLATE "C" NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  topic text COLLATE "C" NOT NULL,
  message_id text COLLATE "C" NOT NULL,
  revision bigint NOT NULL,
  attempt bigint NOT NULL,
  PRIMARY KEY (workflow, run_id, topic, message_id)
);

CREATE TABLE holdfast.events (
  workflow text COLLATE "C" NOT NULL,
  topic text COLLATE "C" NOT NULL,
  message_id text COLLATE "C" NOT NULL,
  position bigint NOT NULL,
  revision bigint NOT NULL,
  status text NOT NULL
    CONSTRAINT event_status_word CHECK (status IN ('pending', 'reserved', 'consumed', 'skipped')),
  reserved_by text COLLATE "C",
  payload_digest text NOT NULL,
  payload_size bigint NOT NULL,
  payload_inline bytea,
  title text,
  created_by text,
  caused_by text NOT NULL,
  attempt bigint NOT NULL,
  delivery_count bigint NOT NULL,
  late_count bigint NOT NULL,
  PRIMARY KEY (workflow, topic, message_id),
  CONSTRAINT event_reserved_iff_held CHECK ((status = 'reserved') = (reserved_by IS NOT NULL)),
  CONSTRAINT reservation_exists FOREIGN KEY (workflow, reserved_by, topic, message_id)
    REFERENCES holdfast.reservations (workflow, run_id, topic, message_id)
);
-- What peek walks: settled events leave it, so it is as long as the work still to do.
CREATE INDEX events_unsettled ON holdfast.events (workflow, topic, position)
  WHERE status IN ('pending', 'reserved');
-- All four columns: the foreign key finds its children here too.
CREATE INDEX events_held ON holdfast.events (workflow, reserved_by, topic, message_id)
  WHERE reserved_by IS NOT NULL;

CREATE TABLE holdfast.event_inputs (
  workflow text COLLATE "C" NOT NULL,
  input_id text COLLATE "C" NOT NULL,
  topic text COLLATE "C" NOT NULL,
  message_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (workflow, input_id, topic, message_id)
);

CREATE TABLE holdfast.mutations (
  workflow text COLLATE "C" NOT NULL,
  mutation_id text COLLATE "C" NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  handler text NOT NULL,
  scope_id text NOT NULL,
  attempt bigint NOT NULL,
  call_no bigint NOT NULL,
  connection text NOT NULL,
  operation text NOT NULL,
  connector_version text NOT NULL,
  target text NOT NULL,
  identity_digest text NOT NULL,
  identity_size bigint NOT NULL,
  identity_inline bytea,
  payload_digest text NOT NULL,
  payload_size bigint NOT NULL,
  payload_inline bytea,
  mutation_key text COLLATE "C" NOT NULL,
  payload_hash text NOT NULL,
  intent_hash text NOT NULL,
  provider_key text NOT NULL,
  state text NOT NULL CONSTRAINT mutation_state_word CHECK (state IN (
      'awaiting_approval', 'ready', 'in_flight', 'needs_reconcile', 'indeterminate',
      'applied', 'failed')),
  can_reconcile bigint NOT NULL CONSTRAINT mutation_can_word CHECK (can_reconcile IN (0, 1)),
  retention_ms bigint,
  visibility_delay_ms bigint,
  sender_incarnation text,
  sender_epoch bigint,
  send_by bigint,
  timeout_ms bigint,
  quiet_from bigint,
  first_sent_at bigint,
  send_count bigint NOT NULL,
  reconcile_count bigint NOT NULL,
  reconcile_since bigint,
  next_attempt_at bigint,
  result_digest text,
  result_size bigint,
  result_inline bytea,
  failure text,
  resolution text,
  approval text,
  ui_title text,
  recorded_at bigint NOT NULL,
  settled_at bigint,
  PRIMARY KEY (workflow, mutation_id)
);
CREATE INDEX mutations_by_run ON holdfast.mutations (workflow, run_id);
CREATE INDEX mutations_by_key ON holdfast.mutations (workflow, mutation_key);

CREATE TABLE holdfast.mutation_evidence (
  workflow text COLLATE "C" NOT NULL,
  mutation_id text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  kind text NOT NULL CONSTRAINT evidence_kind_word CHECK (kind IN (
      'response', 'error', 'reconcile', 'unsent', 'recovery', 'late', 'answer')),
  says text NOT NULL
    CONSTRAINT evidence_says_word CHECK (says IN ('applied', 'failed', 'unknown', 'not_sent')),
  body_digest text,
  body_size bigint,
  body_inline bytea,
  note text NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (workflow, mutation_id, seq)
);

-- Same columns as the core's key, but the event leads: the guard of events looks here.
CREATE TABLE holdfast.mutation_inputs (
  workflow text COLLATE "C" NOT NULL,
  consumer text COLLATE "C" NOT NULL,
  topic text COLLATE "C" NOT NULL,
  message_id text COLLATE "C" NOT NULL,
  attempt bigint NOT NULL,
  mutation_id text NOT NULL,
  PRIMARY KEY (workflow, topic, message_id, attempt, consumer)
);

CREATE TABLE holdfast.attentions (
  workflow text COLLATE "C" NOT NULL,
  attention_id text COLLATE "C" NOT NULL,
  kind text NOT NULL CONSTRAINT attention_kind_word CHECK (kind IN (
      'approval', 'outcome_unknown', 'action_needed', 'retries_exhausted', 'run_failed',
      'crash_loop', 'happened_after_all')),
  subject text,
  note text NOT NULL,
  answers text NOT NULL,
  opened_at bigint NOT NULL,
  closed_at bigint,
  closed_by text,
  answer text,
  PRIMARY KEY (workflow, attention_id)
);
CREATE INDEX attentions_open ON holdfast.attentions (workflow) WHERE closed_at IS NULL;

CREATE TABLE holdfast.brakes (
  workflow text COLLATE "C" NOT NULL,
  operation text COLLATE "C" NOT NULL,
  reason text NOT NULL,
  set_by text NOT NULL,
  set_at bigint NOT NULL,
  PRIMARY KEY (workflow, operation)
);

CREATE TABLE holdfast.verdicts (
  workflow text COLLATE "C" NOT NULL,
  command_id text COLLATE "C" NOT NULL,
  position bigint NOT NULL,
  kind text NOT NULL,
  actor text NOT NULL,
  accepted bigint NOT NULL CONSTRAINT verdict_accepted_word CHECK (accepted IN (0, 1)),
  refusal text,
  note text NOT NULL,
  answered_at bigint NOT NULL,
  PRIMARY KEY (workflow, command_id)
);

CREATE TABLE holdfast.skipped_firings (
  workflow text COLLATE "C" NOT NULL,
  handler text COLLATE "C" NOT NULL,
  due_at bigint NOT NULL,
  seq bigint NOT NULL,
  PRIMARY KEY (workflow, handler, due_at, seq)
);
`,
};
