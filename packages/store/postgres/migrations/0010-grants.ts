import type { Migration } from "../migrations.ts";

/** What a workflow may do outside, by which grant a call is there, and what counts as used. */
export const grants: Migration = {
  version: 10,
  name: "grants",
  sql: `
LOCK TABLE holdfast.workflows, holdfast.mutations IN ACCESS EXCLUSIVE MODE;

ALTER TABLE holdfast.workflows
  ADD COLUMN envelope bigint DEFAULT 0,
  ADD COLUMN deployed_by text;

ALTER TABLE holdfast.mutations
  ALTER COLUMN connection TYPE text COLLATE "C",
  ALTER COLUMN operation TYPE text COLLATE "C",
  ADD COLUMN verdict text,
  ADD COLUMN amount bigint;

CREATE TABLE holdfast.envelopes (
  workflow text COLLATE "C" NOT NULL,
  number bigint NOT NULL,
  grants_digest text NOT NULL,
  grants_size bigint NOT NULL,
  grants_inline bytea,
  set_by text NOT NULL,
  set_at bigint NOT NULL,
  PRIMARY KEY (workflow, number)
);

CREATE INDEX mutations_by_operation
  ON holdfast.mutations (workflow, connection, operation, recorded_at)
  INCLUDE (amount, mutation_id)
  WHERE state <> 'failed';

CREATE FUNCTION holdfast.load_need_3(of_workflow text, need jsonb)
RETURNS TABLE (of_table text, found json) LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF need->>'kind' = 'row' AND need->>'table' = 'envelopes' THEN
    RETURN QUERY SELECT 'envelopes', (SELECT row_to_json(t) FROM holdfast.envelopes AS t
      WHERE t.workflow = of_workflow AND t.number = (need->'key'->>0)::bigint);
    RETURN;
  END IF;
  RETURN QUERY SELECT * FROM holdfast.load_need_2(of_workflow, need);
END $$;

-- As load_2, over load_need_3.
CREATE FUNCTION holdfast.load_3(of_workflow text, needs jsonb)
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
      LATERAL holdfast.load_need_3(of_workflow, need.value) AS each;
END $$;

CREATE FUNCTION holdfast.load_locked_3(of_workflow text, needs jsonb)
RETURNS TABLE (need_no bigint, of_table text, found json) LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog SET lock_timeout = 20000
AS $$
BEGIN
  PERFORM FROM holdfast.workflows WHERE id = of_workflow FOR UPDATE;
  RETURN QUERY SELECT * FROM holdfast.load_3(of_workflow, needs);
END $$;

CREATE FUNCTION holdfast.sum_usage_1(
  of_workflow text, of_connection text, of_operation text, after bigint, except_id text)
RETURNS TABLE (call_count bigint, amount bigint, oldest_at bigint) LANGUAGE plpgsql STABLE
SET search_path = pg_catalog SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off
AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM holdfast.workflows WHERE id = of_workflow) THEN
    PERFORM holdfast.unknown_workflow_1(of_workflow);
  END IF;
  RETURN QUERY SELECT count(*), least(coalesce(sum(m.amount), 0), 9007199254740991)::bigint,
    min(m.recorded_at)
    FROM holdfast.mutations AS m
    WHERE m.workflow = of_workflow AND m.connection = of_connection
      AND m.operation = of_operation AND m.recorded_at > after AND m.state <> 'failed'
      AND (except_id IS NULL OR m.mutation_id <> except_id);
END $$;
`,
};
