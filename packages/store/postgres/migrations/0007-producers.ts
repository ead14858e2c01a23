import type { Migration } from "../migrations.ts";

/**
 * What payloads must be, what was pushed to webhooks, what was asked for or let pass, and what a
 * version declared that the next one is compared with.
 */
export const producers: Migration = {
  version: 7,
  name: "producers",
  sql: `
LOCK TABLE holdfast.workflows, holdfast.topics, holdfast.handlers, holdfast.runs,
  holdfast.skipped_firings IN ACCESS EXCLUSIVE MODE;

ALTER TABLE holdfast.topics ADD COLUMN schema text;

ALTER TABLE holdfast.handlers
  ADD COLUMN webhook bigint NOT NULL DEFAULT 0
    CONSTRAINT handler_webhook_word CHECK (webhook IN (0, 1)),
  ADD COLUMN waiting_count bigint NOT NULL DEFAULT 0,
  ADD COLUMN called_at bigint,
  ADD COLUMN start text NOT NULL DEFAULT '';

ALTER TABLE holdfast.workflows ADD COLUMN connections text;
ALTER TABLE holdfast.runs ADD COLUMN script_hash text;

ALTER TABLE holdfast.skipped_firings ADD COLUMN firing_count bigint NOT NULL DEFAULT 1;

CREATE TABLE holdfast.deliveries (
  workflow text COLLATE "C" NOT NULL,
  input_id text COLLATE "C" NOT NULL,
  handler text COLLATE "C" NOT NULL,
  delivery_id text NOT NULL,
  position bigint NOT NULL,
  status text NOT NULL
    CONSTRAINT delivery_status_word CHECK (status IN ('waiting', 'taken', 'skipped')),
  run_id text,
  body_digest text NOT NULL,
  body_size bigint NOT NULL,
  body_inline bytea,
  received_at bigint NOT NULL,
  PRIMARY KEY (workflow, input_id)
);
CREATE INDEX deliveries_waiting ON holdfast.deliveries (workflow, handler, position)
  WHERE status = 'waiting';

CREATE FUNCTION holdfast.load_need_2(of_workflow text, need jsonb)
RETURNS TABLE (of_table text, found json) LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF need->>'kind' = 'waiting_deliveries' THEN
    RETURN QUERY SELECT 'deliveries', row_to_json(t) FROM holdfast.deliveries AS t
      WHERE t.workflow = of_workflow AND t.handler = need->>'handler' AND t.status = 'waiting'
      ORDER BY t.position LIMIT 100;
    RETURN;
  END IF;
  IF need->>'kind' = 'row' AND need->>'table' = 'deliveries' THEN
    RETURN QUERY SELECT 'deliveries', (SELECT row_to_json(t) FROM holdfast.deliveries AS t
      WHERE t.workflow = of_workflow AND t.input_id = need->'key'->>0);
    RETURN;
  END IF;
  RETURN QUERY SELECT * FROM holdfast.load_need_1(of_workflow, need);
  IF need->>'kind' = 'input' THEN
    RETURN QUERY SELECT 'deliveries', row_to_json(t) FROM holdfast.deliveries AS t
      WHERE t.workflow = of_workflow AND t.input_id = need->>'inputId';
  END IF;
END $$;

-- As load_1, over load_need_2.
CREATE FUNCTION holdfast.load_2(of_workflow text, needs jsonb)
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
      LATERAL holdfast.load_need_2(of_workflow, need.value) AS each;
END $$;

CREATE FUNCTION holdfast.load_locked_2(of_workflow text, needs jsonb)
RETURNS TABLE (need_no bigint, of_table text, found json) LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog SET lock_timeout = 20000
AS $$
BEGIN
  PERFORM FROM holdfast.workflows WHERE id = of_workflow FOR UPDATE;
  RETURN QUERY SELECT * FROM holdfast.load_2(of_workflow, needs);
END $$;
`,
};
