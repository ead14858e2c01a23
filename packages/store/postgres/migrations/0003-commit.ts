import type { Migration } from "../migrations.ts";

/**
 * The one round trip of a group of changes. The program sends the statements together with their
 * rows, because it knows which columns a change names and which rows of several workflows can be
 * written by one statement; everything else about a change is judged here.
 */
export const commit: Migration = {
  version: 3,
  name: "commit",
  sql: `
CREATE FUNCTION holdfast.now_ms_1() RETURNS bigint LANGUAGE sql VOLATILE
AS 'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

CREATE FUNCTION holdfast.timeline_1() RETURNS text LANGUAGE sql VOLATILE
AS 'SELECT left(pg_walfile_name(pg_current_wal_lsn()), 8)';

CREATE FUNCTION holdfast.system_1() RETURNS text LANGUAGE sql VOLATILE
AS 'SELECT system_identifier::text FROM pg_control_system()';

-- A copy of a database has another number, and a table from a dump has another number too.
CREATE FUNCTION holdfast.database_1() RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (SELECT oid::text FROM pg_database WHERE datname = current_database()) || '/'
    || 'holdfast.store_meta'::regclass::oid::text;
END $$;

-- Called first by everything that writes, because behind one address there may be another server
-- or another database than a moment ago. What is then committed is kept when it is acknowledged,
-- whatever the session was set to.
CREATE FUNCTION holdfast.admit_1(store text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM holdfast.store_meta
    WHERE store_incarnation = store AND timeline = holdfast.timeline_1()
      AND system_identifier = holdfast.system_1() AND database = holdfast.database_1())
  THEN
    RAISE EXCEPTION USING ERRCODE = 'HF002', MESSAGE = 'this is not the store that was opened';
  END IF;
  IF current_setting('synchronous_commit') = 'off' THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;
END $$;

-- A hint is only taken as far as it is still true: an event may have come back since its peek.
CREATE FUNCTION holdfast.raise_low_water_1(of_workflow text, of_topic text, hint bigint)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  lowest bigint;
  low_water bigint := holdfast.low_water_of_1(of_workflow, of_topic);
BEGIN
  IF hint <= low_water THEN RETURN; END IF;
  SELECT position INTO lowest FROM holdfast.events
  WHERE workflow = of_workflow AND topic = of_topic AND position >= low_water
    AND status IN ('pending', 'reserved')
  ORDER BY position LIMIT 1;
  IF least(hint, coalesce(lowest, hint)) <= low_water THEN RETURN; END IF;
  PERFORM holdfast.set_low_water_1(of_workflow, of_topic, least(hint, coalesce(lowest, hint)));
END $$;

-- Executes the steps in order. A step names how many rows it has to touch; null = any number.
CREATE FUNCTION holdfast.take_steps_1(steps jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  step jsonb;
  touched bigint;
BEGIN
  FOR step IN SELECT value FROM jsonb_array_elements(steps) LOOP
    EXECUTE step->>0 USING step->2;
    GET DIAGNOSTICS touched = ROW_COUNT;
    IF touched <> (step->>1)::bigint THEN
      RAISE EXCEPTION USING ERRCODE = 'HF001', CONSTRAINT = step->>3,
        MESSAGE = 'there is no row for ' || left(step->>2, 200);
    END IF;
  END LOOP;
END $$;

-- Every change of the group lands, or an error says why none does. Each is of another workflow.
CREATE FUNCTION holdfast.write_group_1(changes jsonb, bytes bytea, at_ms bigint)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  moved bigint;
  hint jsonb;
BEGIN
  UPDATE holdfast.workflows AS w SET
    head = c.head,
    head_hash = coalesce(c.hash, w.head_hash),
    head_at = coalesce(c.at, w.head_at),
    due_at = c.due_at,
    unclean_since = NULL,
    fact_version = greatest(w.fact_version, c.version)
  FROM jsonb_to_recordset(changes->'heads') AS c (
    workflow text, epoch bigint, expected bigint, head bigint, hash text, at bigint,
    due_at bigint, version bigint)
  WHERE w.id = c.workflow AND w.epoch = c.epoch AND w.head = c.expected;
  GET DIAGNOSTICS moved = ROW_COUNT;
  IF moved <> jsonb_array_length(changes->'heads') THEN
    RAISE EXCEPTION USING ERRCODE = 'HF004', MESSAGE = 'a change was decided on another head';
  END IF;
  INSERT INTO holdfast.journal (workflow, seq, hash, bytes)
  SELECT r.workflow, r.seq, r.hash, substr(bytes, r.at, r.size)
  FROM jsonb_to_recordset(changes->'records') AS r (
    workflow text, seq bigint, hash text, at int, size int);
  PERFORM holdfast.take_steps_1(changes->'steps');
  IF changes ? 'blobs' THEN
    -- A blob that is there already keeps its bytes; its grace time starts anew.
    INSERT INTO holdfast.blobs AS b (workflow, hash, size, bytes, touched_at)
    SELECT DISTINCT ON (r.workflow, r.hash)
      r.workflow, r.hash, r.size, substr(bytes, r.at, r.size), at_ms
    FROM jsonb_to_recordset(changes->'blobs') AS r (workflow text, hash text, at int, size int)
    ON CONFLICT (workflow, hash)
    DO UPDATE SET touched_at = greatest(b.touched_at, excluded.touched_at);
  END IF;
  FOR hint IN SELECT value FROM jsonb_array_elements(changes->'hints') LOOP
    PERFORM holdfast.raise_low_water_1(hint->>0, hint->>1, (hint->>2)::bigint);
  END LOOP;
END $$;

-- In the order of their ids, so that two groups never wait for each other in a circle.
CREATE FUNCTION holdfast.lock_workflows_1(ids jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM holdfast.workflows WHERE id = ANY (ARRAY(SELECT jsonb_array_elements_text(ids)))
  ORDER BY id FOR NO KEY UPDATE;
END $$;

CREATE FUNCTION holdfast.commit_group_1(
  store text, ids jsonb, changes jsonb, bytes bytea, now_ms bigint
) RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET lock_timeout = 20000
AS $$
BEGIN
  PERFORM holdfast.admit_1(store);
  PERFORM holdfast.lock_workflows_1(ids);
  PERFORM holdfast.write_group_1(changes, bytes, coalesce(now_ms, holdfast.now_ms_1()));
END $$;

-- One change as a group of its own, with a savepoint; answers as commit.ts reads them.
CREATE FUNCTION holdfast.write_one_1(change jsonb, bytes bytea, at_ms bigint)
RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  compared jsonb := change->'heads'->0;
  found_head bigint;
  found_epoch bigint;
  constraint_name text;
  state text;
  note text;
BEGIN
  SELECT head, epoch INTO found_head, found_epoch FROM holdfast.workflows
  WHERE id = compared->>'workflow';
  IF found_epoch IS DISTINCT FROM (compared->>'epoch')::bigint THEN
    RETURN jsonb_build_array('lease_lost');
  END IF;
  IF found_head IS DISTINCT FROM (compared->>'expected')::bigint THEN
    RETURN jsonb_build_array('conflict', found_head);
  END IF;
  IF change ? 'fault' THEN
    RETURN jsonb_build_array('refused', 'HF001', change->'fault'->>0, change->'fault'->>1);
  END IF;
  PERFORM holdfast.write_group_1(change, bytes, at_ms);
  RETURN jsonb_build_array('committed', (compared->>'head')::bigint);
EXCEPTION WHEN SQLSTATE 'HF001' OR integrity_constraint_violation OR data_exception
  OR program_limit_exceeded
THEN
  GET STACKED DIAGNOSTICS constraint_name = CONSTRAINT_NAME, state = RETURNED_SQLSTATE,
    note = MESSAGE_TEXT;
  RETURN jsonb_build_array('refused', state, constraint_name, note);
END $$;

-- The same, one by one: for groups in which something was refused or came too late.
CREATE FUNCTION holdfast.commit_each_1(
  store text, ids jsonb, changes jsonb, bytes bytea, now_ms bigint
) RETURNS SETOF jsonb LANGUAGE plpgsql
SET search_path = pg_catalog SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET lock_timeout = 20000
AS $$
DECLARE
  at_ms bigint := coalesce(now_ms, holdfast.now_ms_1());
  change jsonb;
BEGIN
  PERFORM holdfast.admit_1(store);
  PERFORM holdfast.lock_workflows_1(ids);
  FOR change IN SELECT value FROM jsonb_array_elements(changes) LOOP
    RETURN NEXT holdfast.write_one_1(change, bytes, at_ms);
  END LOOP;
END $$;
`,
};
