import type { Migration } from "../migrations.ts";

/**
 * What the database refuses whatever the program asks. The edges are those of the core
 * (…StatusEdges, runPhaseEdges, ledgerStateEdges); edges.test.ts tries every pair of words
 * against them. Naming a status in an update is taking an edge, also from a word to itself. The
 * text given to RAISE is the constraint's name in the answer.
 */
export const guards: Migration = {
  version: 2,
  name: "guards",
  sql: `
CREATE TRIGGER workflow_edge BEFORE UPDATE OF status ON workflows
WHEN OLD.status IS NOT NULL AND NEW.status IS NOT NULL AND NOT CASE OLD.status
  WHEN 'active' THEN NEW.status = 'paused' OR NEW.status = 'archived'
  WHEN 'paused' THEN NEW.status = 'active' OR NEW.status = 'archived'
  WHEN 'archived' THEN NEW.status = 'paused'
  ELSE 0 END
BEGIN SELECT RAISE(ABORT, 'workflow_edge'); END;

CREATE TRIGGER run_status_edge BEFORE UPDATE OF status ON runs
WHEN NOT CASE OLD.status
  WHEN 'active' THEN NEW.status <> 'active'
  WHEN 'paused:transient' THEN NEW.status = 'active' OR NEW.status = 'aborted'
  WHEN 'paused:approval' THEN NEW.status = 'active' OR NEW.status = 'aborted'
  WHEN 'paused:reconciliation' THEN NEW.status = 'active' OR NEW.status = 'aborted'
  WHEN 'paused:user' THEN NEW.status = 'active' OR NEW.status = 'aborted'
  WHEN 'failed:logic' THEN NEW.status = 'aborted'
  WHEN 'failed:internal' THEN NEW.status = 'aborted'
  WHEN 'crashed' THEN NEW.status = 'aborted'
  ELSE 0 END
BEGIN SELECT RAISE(ABORT, 'run_status_edge'); END;

CREATE TRIGGER run_phase_edge BEFORE UPDATE OF phase ON runs
WHEN NOT CASE OLD.phase
  WHEN 'preparing' THEN NEW.phase = 'prepared'
  WHEN 'prepared' THEN NEW.phase = 'mutating' OR NEW.phase = 'emitting'
  WHEN 'mutating' THEN NEW.phase = 'mutated'
  WHEN 'mutated' THEN NEW.phase = 'emitting'
  WHEN 'emitting' THEN NEW.phase = 'committed'
  WHEN 'executing' THEN NEW.phase = 'committed'
  ELSE 0 END
BEGIN SELECT RAISE(ABORT, 'run_phase_edge'); END;

-- Its events are given back, consumed or handed to the next run first.
CREATE TRIGGER run_closes_without_events BEFORE UPDATE OF open ON runs
WHEN OLD.open = 1 AND NEW.open = 0 AND EXISTS (
  SELECT 1 FROM events WHERE workflow = OLD.workflow AND reserved_by = OLD.run_id)
BEGIN SELECT RAISE(ABORT, 'run_closes_without_events'); END;

CREATE TRIGGER event_edge BEFORE UPDATE OF status ON events
WHEN NOT CASE OLD.status
  WHEN 'pending' THEN NEW.status = 'reserved' OR NEW.status = 'skipped'
  WHEN 'reserved' THEN NEW.status <> 'reserved'
  WHEN 'consumed' THEN NEW.status = 'pending'
  WHEN 'skipped' THEN NEW.status = 'pending'
  ELSE 0 END
BEGIN SELECT RAISE(ABORT, 'event_edge'); END;

-- The promise: while a mutation stands behind this attempt of an event, nobody else can take it.
CREATE TRIGGER event_behind_mutation BEFORE UPDATE OF status, attempt ON events
WHEN NEW.status = 'pending' AND EXISTS (
  SELECT 1 FROM mutation_inputs WHERE workflow = NEW.workflow AND topic = NEW.topic
    AND message_id = NEW.message_id AND attempt = NEW.attempt)
BEGIN SELECT RAISE(ABORT, 'event_behind_mutation'); END;

CREATE TRIGGER event_born_behind_mutation BEFORE INSERT ON events
WHEN NEW.status = 'pending' AND EXISTS (
  SELECT 1 FROM mutation_inputs WHERE workflow = NEW.workflow AND topic = NEW.topic
    AND message_id = NEW.message_id AND attempt = NEW.attempt)
BEGIN SELECT RAISE(ABORT, 'event_behind_mutation'); END;

CREATE TRIGGER mutation_behind_pending_event BEFORE INSERT ON mutation_inputs
WHEN EXISTS (
  SELECT 1 FROM events WHERE workflow = NEW.workflow AND topic = NEW.topic
    AND message_id = NEW.message_id AND attempt = NEW.attempt AND status = 'pending')
BEGIN SELECT RAISE(ABORT, 'event_behind_mutation'); END;

-- Deleted only with 'failed', so the mutation's row says failed before its guards go.
CREATE TRIGGER mutation_inputs_kept BEFORE DELETE ON mutation_inputs
WHEN NOT EXISTS (
  SELECT 1 FROM mutations WHERE workflow = OLD.workflow AND mutation_id = OLD.mutation_id
    AND state = 'failed')
BEGIN SELECT RAISE(ABORT, 'mutation_inputs_kept'); END;

-- Pointed at another mutation, a guard would go with that one.
CREATE TRIGGER mutation_inputs_fixed BEFORE UPDATE ON mutation_inputs
BEGIN SELECT RAISE(ABORT, 'mutation_inputs_kept'); END;

CREATE TRIGGER events_kept BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'events_kept'); END;

-- A unique index over what has not failed would say the same, but is rewritten with every change
-- of state: one more page to sync each time. 'failed' is never left, so inserts are all there is.
CREATE TRIGGER one_live_mutation BEFORE INSERT ON mutations
WHEN NEW.state <> 'failed' AND EXISTS (
  SELECT 1 FROM mutations WHERE workflow = NEW.workflow AND run_id = NEW.run_id
    AND state <> 'failed')
BEGIN SELECT RAISE(ABORT, 'one_live_mutation'); END;

CREATE TRIGGER one_live_mutation_moved BEFORE UPDATE OF run_id ON mutations
BEGIN SELECT RAISE(ABORT, 'one_live_mutation'); END;

-- The ledger forgets nothing.
CREATE TRIGGER mutations_kept BEFORE DELETE ON mutations
BEGIN SELECT RAISE(ABORT, 'mutations_kept'); END;

-- An event that comes back lies below what was thought settled: peek must see it again.
CREATE TRIGGER low_water_sinks AFTER UPDATE OF status ON events
WHEN NEW.status = 'pending' AND NEW.position < (
  SELECT low_water FROM topics WHERE workflow = NEW.workflow AND name = NEW.topic)
BEGIN
  UPDATE topics SET low_water = NEW.position WHERE workflow = NEW.workflow AND name = NEW.topic;
END;

CREATE TRIGGER low_water_sinks_for_new AFTER INSERT ON events
WHEN NEW.status = 'pending' AND NEW.position < (
  SELECT low_water FROM topics WHERE workflow = NEW.workflow AND name = NEW.topic)
BEGIN
  UPDATE topics SET low_water = NEW.position WHERE workflow = NEW.workflow AND name = NEW.topic;
END;

-- Only needs_reconcile may follow itself: a second 'in_flight' would be a second send.
CREATE TRIGGER ledger_edge BEFORE UPDATE OF state ON mutations
WHEN NOT CASE OLD.state
  WHEN 'awaiting_approval' THEN NEW.state = 'ready' OR NEW.state = 'failed'
  WHEN 'ready' THEN NEW.state = 'in_flight' OR NEW.state = 'failed'
  WHEN 'in_flight' THEN NEW.state <> 'awaiting_approval' AND NEW.state <> 'in_flight'
  WHEN 'needs_reconcile' THEN NEW.state <> 'awaiting_approval' AND NEW.state <> 'ready'
  WHEN 'indeterminate' THEN
    NEW.state = 'needs_reconcile' OR NEW.state = 'failed' OR NEW.state = 'applied'
  ELSE 0 END
BEGIN SELECT RAISE(ABORT, 'ledger_edge'); END;
`,
};
