import type { Migration } from "../migrations.ts";

/**
 * What the database refuses whatever the program asks. The edges are those of the core
 * (…StatusEdges, runPhaseEdges, ledgerStateEdges); the suite tries every pair of words against
 * them. Naming a status in an update is taking an edge, also from a word to itself. HF001 =
 * refused, with the constraint's name.
 */
export const guards: Migration = {
  version: 2,
  name: "guards",
  sql: `
-- The name of the constraint is the trigger's argument, what is wrong is the trigger's WHEN.
CREATE FUNCTION holdfast.refuse_row_1() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION USING ERRCODE = 'HF001', CONSTRAINT = TG_ARGV[0],
    MESSAGE = TG_ARGV[0] || ' on ' || TG_TABLE_NAME;
END $$;

CREATE TRIGGER workflow_edge BEFORE UPDATE OF status ON holdfast.workflows FOR EACH ROW
WHEN (OLD.status IS NOT NULL AND NEW.status IS NOT NULL AND NOT CASE OLD.status
  WHEN 'active' THEN NEW.status IN ('paused', 'archived')
  WHEN 'paused' THEN NEW.status IN ('active', 'archived')
  WHEN 'archived' THEN NEW.status = 'paused'
  ELSE false END)
EXECUTE FUNCTION holdfast.refuse_row_1('workflow_edge');

CREATE TRIGGER run_status_edge BEFORE UPDATE OF status ON holdfast.runs FOR EACH ROW
WHEN (NOT CASE OLD.status
  WHEN 'active' THEN NEW.status <> 'active'
  WHEN 'paused:transient' THEN NEW.status IN ('active', 'aborted')
  WHEN 'paused:approval' THEN NEW.status IN ('active', 'aborted')
  WHEN 'paused:reconciliation' THEN NEW.status IN ('active', 'aborted')
  WHEN 'paused:user' THEN NEW.status IN ('active', 'aborted')
  WHEN 'failed:logic' THEN NEW.status = 'aborted'
  WHEN 'failed:internal' THEN NEW.status = 'aborted'
  WHEN 'crashed' THEN NEW.status = 'aborted'
  ELSE false END)
EXECUTE FUNCTION holdfast.refuse_row_1('run_status_edge');

CREATE TRIGGER run_phase_edge BEFORE UPDATE OF phase ON holdfast.runs FOR EACH ROW
WHEN (NOT CASE OLD.phase
  WHEN 'preparing' THEN NEW.phase = 'prepared'
  WHEN 'prepared' THEN NEW.phase IN ('mutating', 'emitting')
  WHEN 'mutating' THEN NEW.phase = 'mutated'
  WHEN 'mutated' THEN NEW.phase = 'emitting'
  WHEN 'emitting' THEN NEW.phase = 'committed'
  WHEN 'executing' THEN NEW.phase = 'committed'
  ELSE false END)
EXECUTE FUNCTION holdfast.refuse_row_1('run_phase_edge');

-- Its events are given back, consumed or handed to the next run first.
CREATE FUNCTION holdfast.run_closes_1() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT FROM holdfast.events WHERE workflow = OLD.workflow AND reserved_by = OLD.run_id)
  THEN
    RAISE EXCEPTION USING ERRCODE = 'HF001', CONSTRAINT = 'run_closes_without_events',
      MESSAGE = 'run ' || OLD.run_id || ' still holds an event';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER run_closes_without_events BEFORE UPDATE OF open ON holdfast.runs FOR EACH ROW
WHEN (OLD.open = 1 AND NEW.open = 0)
EXECUTE FUNCTION holdfast.run_closes_1();

CREATE TRIGGER event_edge BEFORE UPDATE OF status ON holdfast.events FOR EACH ROW
WHEN (NOT CASE OLD.status
  WHEN 'pending' THEN NEW.status IN ('reserved', 'skipped')
  WHEN 'reserved' THEN NEW.status <> 'reserved'
  WHEN 'consumed' THEN NEW.status = 'pending'
  WHEN 'skipped' THEN NEW.status = 'pending'
  ELSE false END)
EXECUTE FUNCTION holdfast.refuse_row_1('event_edge');

-- The promise: while a mutation stands behind this attempt of an event, nobody else can take it.
CREATE FUNCTION holdfast.event_is_free_1() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT FROM holdfast.mutation_inputs WHERE workflow = NEW.workflow AND topic = NEW.topic
      AND message_id = NEW.message_id AND attempt = NEW.attempt)
  THEN
    RAISE EXCEPTION USING ERRCODE = 'HF001', CONSTRAINT = 'event_behind_mutation',
      MESSAGE = 'a mutation stands behind ' || NEW.message_id;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER event_behind_mutation BEFORE UPDATE OF status, attempt ON holdfast.events
FOR EACH ROW
WHEN (NEW.status = 'pending')
EXECUTE FUNCTION holdfast.event_is_free_1();
CREATE TRIGGER event_born_behind_mutation BEFORE INSERT ON holdfast.events FOR EACH ROW
WHEN (NEW.status = 'pending')
EXECUTE FUNCTION holdfast.event_is_free_1();

CREATE FUNCTION holdfast.mutation_takes_held_1() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT FROM holdfast.events WHERE workflow = NEW.workflow AND topic = NEW.topic
      AND message_id = NEW.message_id AND attempt = NEW.attempt AND status = 'pending')
  THEN
    RAISE EXCEPTION USING ERRCODE = 'HF001', CONSTRAINT = 'event_behind_mutation',
      MESSAGE = NEW.message_id || ' is pending';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER mutation_behind_pending_event BEFORE INSERT ON holdfast.mutation_inputs
FOR EACH ROW EXECUTE FUNCTION holdfast.mutation_takes_held_1();

-- Deleted only with 'failed', so the mutation's row says failed before its guards go.
CREATE FUNCTION holdfast.mutation_has_failed_1() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM holdfast.mutations WHERE workflow = OLD.workflow
      AND mutation_id = OLD.mutation_id AND state = 'failed')
  THEN
    RAISE EXCEPTION USING ERRCODE = 'HF001', CONSTRAINT = 'mutation_inputs_kept',
      MESSAGE = OLD.mutation_id || ' has not failed';
  END IF;
  RETURN OLD;
END $$;
CREATE TRIGGER mutation_inputs_kept BEFORE DELETE ON holdfast.mutation_inputs
FOR EACH ROW EXECUTE FUNCTION holdfast.mutation_has_failed_1();

-- Pointed at another mutation, a guard would go with that one.
CREATE TRIGGER mutation_inputs_fixed BEFORE UPDATE ON holdfast.mutation_inputs
FOR EACH ROW EXECUTE FUNCTION holdfast.refuse_row_1('mutation_inputs_kept');

CREATE TRIGGER events_kept BEFORE DELETE ON holdfast.events
FOR EACH ROW EXECUTE FUNCTION holdfast.refuse_row_1('events_kept');

-- A unique index over what has not failed would be rewritten with every change of state.
CREATE FUNCTION holdfast.mutation_is_alone_1() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT FROM holdfast.mutations WHERE workflow = NEW.workflow AND run_id = NEW.run_id
      AND state <> 'failed')
  THEN
    RAISE EXCEPTION USING ERRCODE = 'HF001', CONSTRAINT = 'one_live_mutation',
      MESSAGE = 'run ' || NEW.run_id || ' has a mutation that has not failed';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER one_live_mutation BEFORE INSERT ON holdfast.mutations FOR EACH ROW
WHEN (NEW.state <> 'failed')
EXECUTE FUNCTION holdfast.mutation_is_alone_1();

CREATE TRIGGER one_live_mutation_moved BEFORE UPDATE OF run_id ON holdfast.mutations
FOR EACH ROW
EXECUTE FUNCTION holdfast.refuse_row_1('one_live_mutation');

-- The ledger forgets nothing.
CREATE TRIGGER mutations_kept BEFORE DELETE ON holdfast.mutations
FOR EACH ROW EXECUTE FUNCTION holdfast.refuse_row_1('mutations_kept');

-- Only needs_reconcile may follow itself: a second 'in_flight' would be a second send.
CREATE TRIGGER ledger_edge BEFORE UPDATE OF state ON holdfast.mutations FOR EACH ROW
WHEN (NOT CASE OLD.state
  WHEN 'awaiting_approval' THEN NEW.state IN ('ready', 'failed')
  WHEN 'ready' THEN NEW.state IN ('in_flight', 'failed')
  WHEN 'in_flight' THEN NEW.state NOT IN ('awaiting_approval', 'in_flight')
  WHEN 'needs_reconcile' THEN NEW.state NOT IN ('awaiting_approval', 'ready')
  WHEN 'indeterminate' THEN NEW.state IN ('needs_reconcile', 'failed', 'applied')
  ELSE false END)
EXECUTE FUNCTION holdfast.refuse_row_1('ledger_edge');

CREATE FUNCTION holdfast.low_water_of_1(of_workflow text, of_topic text) RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
DECLARE
  found bigint;
BEGIN
  SELECT position INTO found FROM holdfast.low_water
  WHERE workflow = of_workflow AND topic = of_topic ORDER BY no DESC LIMIT 1;
  RETURN coalesce(found, 0);
END $$;

CREATE FUNCTION holdfast.set_low_water_1(of_workflow text, of_topic text, to_position bigint)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  last bigint;
BEGIN
  SELECT no INTO last FROM holdfast.low_water
  WHERE workflow = of_workflow AND topic = of_topic ORDER BY no DESC LIMIT 1;
  INSERT INTO holdfast.low_water (workflow, topic, no, position)
  VALUES (of_workflow, of_topic, coalesce(last, 0) + 1, to_position);
  DELETE FROM holdfast.low_water
  WHERE workflow = of_workflow AND topic = of_topic AND no = last;
END $$;

-- An event that comes back lies below what was thought settled: peek must see it again.
CREATE FUNCTION holdfast.low_water_sinks_1() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.position < holdfast.low_water_of_1(NEW.workflow, NEW.topic) THEN
    PERFORM holdfast.set_low_water_1(NEW.workflow, NEW.topic, NEW.position);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER low_water_sinks AFTER UPDATE OF status ON holdfast.events FOR EACH ROW
WHEN (NEW.status = 'pending')
EXECUTE FUNCTION holdfast.low_water_sinks_1();
CREATE TRIGGER low_water_sinks_for_new AFTER INSERT ON holdfast.events FOR EACH ROW
WHEN (NEW.status = 'pending')
EXECUTE FUNCTION holdfast.low_water_sinks_1();
`,
};
