import type { Migration } from "../migrations.ts";

/**
 * Everything a decision has to see in one statement and so from one moment: the functions are
 * STABLE and see what the statement that called them sees. A row is a JSON object of its columns.
 */
export const reading: Migration = {
  version: 4,
  name: "reading",
  sql: `
CREATE FUNCTION holdfast.unknown_workflow_1(of_workflow text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION USING ERRCODE = 'HF003', MESSAGE = 'nobody created ' || of_workflow;
END $$;

CREATE FUNCTION holdfast.find_row_1(of_workflow text, of_table text, of_key jsonb) RETURNS json
LANGUAGE plpgsql STABLE AS $$
DECLARE
  found json;
BEGIN
  CASE of_table
  WHEN 'workflows' THEN
    SELECT row_to_json(t) INTO found FROM holdfast.workflows AS t
    WHERE t.id = of_workflow AND t.name IS NOT NULL;
  WHEN 'topics' THEN
    SELECT row_to_json(t) INTO found FROM holdfast.topics AS t
    WHERE t.workflow = of_workflow AND t.name = of_key->>0;
  WHEN 'handlers' THEN
    SELECT row_to_json(t) INTO found FROM holdfast.handlers AS t
    WHERE t.workflow = of_workflow AND t.name = of_key->>0;
  WHEN 'handler_kv' THEN
    SELECT row_to_json(t) INTO found FROM holdfast.handler_kv AS t
    WHERE t.workflow = of_workflow AND t.handler = of_key->>0 AND t.key = of_key->>1;
  WHEN 'inputs' THEN
    SELECT row_to_json(t) INTO found FROM holdfast.inputs AS t
    WHERE t.workflow = of_workflow AND t.input_id = of_key->>0;
  WHEN 'events' THEN
    SELECT row_to_json(t) INTO found FROM holdfast.events AS t
    WHERE t.workflow = of_workflow AND t.topic = of_key->>0 AND t.message_id = of_key->>1;
  WHEN 'event_inputs' THEN
    SELECT row_to_json(t) INTO found FROM holdfast.event_inputs AS t
    WHERE t.workflow = of_workflow AND t.input_id = of_key->>0 AND t.topic = of_key->>1
      AND t.message_id = of_key->>2;
  WHEN 'runs' THEN
    SELECT row_to_json(t) INTO found FROM holdfast.runs AS t
    WHERE t.workflow = of_workflow AND t.run_id = of_key->>0;
  WHEN 'reservations' THEN
    SELECT row_to_json(t) INTO found FROM holdfast.reservations AS t
    WHERE t.workflow = of_workflow AND t.run_id = of_key->>0 AND t.topic = of_key->>1
      AND t.message_id = of_key->>2;
  WHEN 'mutations' THEN
    SELECT row_to_json(t) INTO found FROM holdfast.mutations AS t
    WHERE t.workflow = of_workflow AND t.mutation_id = of_key->>0;
  WHEN 'mutation_evidence' THEN
    SELECT row_to_json(t) INTO found FROM holdfast.mutation_evidence AS t
    WHERE t.workflow = of_workflow AND t.mutation_id = of_key->>0 AND t.seq = (of_key->>1)::bigint;
  WHEN 'mutation_inputs' THEN
    SELECT row_to_json(t) INTO found FROM holdfast.mutation_inputs AS t
    WHERE t.workflow = of_workflow AND t.consumer = of_key->>0 AND t.topic = of_key->>1
      AND t.message_id = of_key->>2 AND t.attempt = (of_key->>3)::bigint;
  WHEN 'attentions' THEN
    SELECT row_to_json(t) INTO found FROM holdfast.attentions AS t
    WHERE t.workflow = of_workflow AND t.attention_id = of_key->>0;
  WHEN 'brakes' THEN
    SELECT row_to_json(t) INTO found FROM holdfast.brakes AS t
    WHERE t.workflow = of_workflow AND t.operation = of_key->>0;
  WHEN 'verdicts' THEN
    SELECT row_to_json(t) INTO found FROM holdfast.verdicts AS t
    WHERE t.workflow = of_workflow AND t.command_id = of_key->>0;
  WHEN 'skipped_firings' THEN
    SELECT row_to_json(t) INTO found FROM holdfast.skipped_firings AS t
    WHERE t.workflow = of_workflow AND t.handler = of_key->>0 AND t.due_at = (of_key->>1)::bigint
      AND t.seq = (of_key->>2)::bigint;
  END CASE;
  RETURN found;
END $$;

CREATE FUNCTION holdfast.load_base_1(of_workflow text)
RETURNS TABLE (of_table text, found json) LANGUAGE plpgsql STABLE AS $$
DECLARE
  run holdfast.runs;
BEGIN
  RETURN QUERY SELECT 'workflows', row_to_json(t) FROM holdfast.workflows AS t
    WHERE t.id = of_workflow AND t.name IS NOT NULL;
  RETURN QUERY SELECT 'topics', row_to_json(t) FROM holdfast.topics AS t
    WHERE t.workflow = of_workflow;
  RETURN QUERY SELECT 'handlers', row_to_json(t) FROM holdfast.handlers AS t
    WHERE t.workflow = of_workflow;
  RETURN QUERY SELECT 'brakes', row_to_json(t) FROM holdfast.brakes AS t
    WHERE t.workflow = of_workflow;
  RETURN QUERY SELECT 'attentions', row_to_json(t) FROM holdfast.attentions AS t
    WHERE t.workflow = of_workflow AND t.closed_at IS NULL;
  SELECT * INTO run FROM holdfast.runs AS t WHERE t.workflow = of_workflow AND t.open = 1;
  IF run.run_id IS NULL THEN RETURN; END IF;
  RETURN QUERY SELECT 'runs', row_to_json(run);
  RETURN QUERY SELECT 'reservations', row_to_json(t) FROM holdfast.reservations AS t
    WHERE t.workflow = of_workflow AND t.run_id = run.run_id;
  RETURN QUERY SELECT 'events', row_to_json(t) FROM holdfast.events AS t
    WHERE t.workflow = of_workflow AND t.reserved_by = run.run_id;
  RETURN QUERY SELECT 'mutations', row_to_json(t) FROM holdfast.mutations AS t
    WHERE t.workflow = of_workflow AND t.run_id = run.run_id;
  RETURN QUERY SELECT 'mutations', row_to_json(t) FROM holdfast.mutations AS t
    WHERE t.workflow = of_workflow AND t.mutation_id = run.mutation_id
      AND t.run_id <> run.run_id;
END $$;

-- One probe of the unsettled index per topic, however many events it has.
CREATE FUNCTION holdfast.oldest_pending_1(of_workflow text)
RETURNS TABLE (of_table text, found json) LANGUAGE plpgsql STABLE AS $$
DECLARE
  topic_name text;
BEGIN
  FOR topic_name IN
    SELECT t.name FROM holdfast.topics AS t
    WHERE t.workflow = of_workflow AND t.subscriber IS NOT NULL
  LOOP
    RETURN QUERY SELECT 'events', row_to_json(e) FROM holdfast.events AS e
      WHERE e.workflow = of_workflow AND e.topic = topic_name
        AND e.position >= holdfast.low_water_of_1(of_workflow, topic_name)
        AND e.status IN ('pending', 'reserved') AND e.status = 'pending'
      ORDER BY e.position LIMIT 1;
  END LOOP;
END $$;

CREATE FUNCTION holdfast.load_need_1(of_workflow text, need jsonb)
RETURNS TABLE (of_table text, found json) LANGUAGE plpgsql STABLE AS $$
BEGIN
  CASE need->>'kind'
  WHEN 'base' THEN
    RETURN QUERY SELECT * FROM holdfast.load_base_1(of_workflow);
  WHEN 'row' THEN
    RETURN QUERY SELECT need->>'table',
      holdfast.find_row_1(of_workflow, need->>'table', need->'key');
  WHEN 'input' THEN
    RETURN QUERY SELECT 'inputs', row_to_json(t) FROM holdfast.inputs AS t
      WHERE t.workflow = of_workflow AND t.input_id = need->>'inputId';
    RETURN QUERY SELECT 'events', row_to_json(e) FROM holdfast.event_inputs AS i
      JOIN holdfast.events AS e USING (workflow, topic, message_id)
      WHERE i.workflow = of_workflow AND i.input_id = need->>'inputId' ORDER BY e.position;
  WHEN 'run' THEN
    RETURN QUERY SELECT 'runs', row_to_json(t) FROM holdfast.runs AS t
      WHERE t.workflow = of_workflow AND t.run_id = need->>'runId';
    RETURN QUERY SELECT 'reservations', row_to_json(t) FROM holdfast.reservations AS t
      WHERE t.workflow = of_workflow AND t.run_id = need->>'runId';
    RETURN QUERY SELECT 'events', row_to_json(e) FROM holdfast.reservations AS r
      JOIN holdfast.events AS e USING (workflow, topic, message_id)
      WHERE r.workflow = of_workflow AND r.run_id = need->>'runId' ORDER BY e.position;
    RETURN QUERY SELECT 'mutations', row_to_json(t) FROM holdfast.mutations AS t
      WHERE t.workflow = of_workflow AND t.run_id = need->>'runId';
  WHEN 'mutation_key' THEN
    RETURN QUERY SELECT 'mutations', row_to_json(t) FROM holdfast.mutations AS t
      WHERE t.workflow = of_workflow AND t.mutation_key = need->>'mutationKey';
  WHEN 'oldest_pending' THEN
    RETURN QUERY SELECT * FROM holdfast.oldest_pending_1(of_workflow);
  END CASE;
END $$;

-- The control row, then what each need asked for, marked with its place in the list.
CREATE FUNCTION holdfast.load_1(of_workflow text, needs jsonb)
RETURNS TABLE (need_no bigint, of_table text, found json) LANGUAGE plpgsql STABLE
SET search_path = pg_catalog SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET bytea_output = hex
AS $$
BEGIN
  RETURN QUERY SELECT 0::bigint, 'control', json_build_object(
    'head', t.head, 'hash', t.head_hash, 'at', t.head_at, 'epoch', t.epoch)
    FROM holdfast.workflows AS t WHERE t.id = of_workflow;
  IF NOT FOUND THEN PERFORM holdfast.unknown_workflow_1(of_workflow); END IF;
  RETURN QUERY SELECT need.no, each.of_table, each.found
    FROM jsonb_array_elements(needs) WITH ORDINALITY AS need (value, no),
      LATERAL holdfast.load_need_1(of_workflow, need.value) AS each;
END $$;

-- Waits for whoever is writing the workflow, such as a commit whose answer was lost. Everybody
-- who writes locks this row first, so that afterwards what is seen is from one moment too.
CREATE FUNCTION holdfast.load_locked_1(of_workflow text, needs jsonb)
RETURNS TABLE (need_no bigint, of_table text, found json) LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog SET lock_timeout = 20000
AS $$
BEGIN
  PERFORM FROM holdfast.workflows WHERE id = of_workflow FOR UPDATE;
  RETURN QUERY SELECT * FROM holdfast.load_1(of_workflow, needs);
END $$;

-- First a row with the lowest position that is not settled, then the events. Does not look at the
-- workflow's own row: under churn that one has many dead versions.
CREATE FUNCTION holdfast.peek_1(of_workflow text, of_topic text, max_count bigint)
RETURNS TABLE (lowest bigint, found json) LANGUAGE plpgsql STABLE
SET search_path = pg_catalog SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET bytea_output = hex
AS $$
DECLARE
  low_water bigint := holdfast.low_water_of_1(of_workflow, of_topic);
BEGIN
  SELECT e.position INTO lowest FROM holdfast.events AS e
  WHERE e.workflow = of_workflow AND e.topic = of_topic AND e.position >= low_water
    AND e.status IN ('pending', 'reserved')
  ORDER BY e.position LIMIT 1;
  IF lowest IS NULL AND low_water = 0
    AND NOT EXISTS (SELECT FROM holdfast.workflows WHERE id = of_workflow)
  THEN
    PERFORM holdfast.unknown_workflow_1(of_workflow);
  END IF;
  RETURN NEXT;
  RETURN QUERY SELECT NULL::bigint, row_to_json(e) FROM holdfast.events AS e
    WHERE e.workflow = of_workflow AND e.topic = of_topic AND e.position >= low_water
      AND e.status IN ('pending', 'reserved') AND e.status = 'pending'
    ORDER BY e.position LIMIT max_count;
END $$;

-- What moved between two moments. A moment is a snapshot and not a number: a transaction may
-- become visible after others that began later.
CREATE FUNCTION holdfast.changes_1(after pg_snapshot)
RETURNS TABLE (moment text, of_workflow text, head bigint) LANGUAGE plpgsql STABLE
SET search_path = pg_catalog SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET jit = off
AS $$
BEGIN
  IF pg_snapshot_xmax(after) > pg_snapshot_xmax(pg_current_snapshot()) THEN
    RAISE EXCEPTION USING ERRCODE = 'HF005', MESSAGE = 'that moment is yet to come';
  END IF;
  moment := pg_current_snapshot()::text;
  RETURN NEXT;
  RETURN QUERY SELECT NULL::text, j.workflow, max(j.seq) FROM holdfast.journal AS j
    WHERE j.written_in >= pg_snapshot_xmin(after)
      AND NOT pg_visible_in_snapshot(j.written_in, after)
      -- In a dump that was restored on a younger server there are numbers yet to come.
      AND j.written_in < pg_snapshot_xmax(pg_current_snapshot())
    GROUP BY j.workflow;
END $$;
`,
};
