import type { Migration } from "../migrations.ts";

/**
 * The items of jobs and their calls. A run of a consumer has one live mutation; a run of a job, and
 * an item, one unsettled one, and no two with the same key but for failed ones.
 */
export const items: Migration = {
  version: 13,
  name: "items",
  sql: `
LOCK TABLE holdfast.workflows, holdfast.handlers, holdfast.runs, holdfast.mutations,
  holdfast.attentions IN ACCESS EXCLUSIVE MODE;

ALTER TABLE holdfast.handlers
  ADD COLUMN fresh_from bigint,
  ADD COLUMN forms text;
ALTER TABLE holdfast.runs ADD COLUMN item_id text;
ALTER TABLE holdfast.mutations
  ADD COLUMN item_id text COLLATE "C",
  ADD COLUMN subkey text,
  ADD COLUMN proposed_digest text,
  ADD COLUMN proposed_size bigint,
  ADD COLUMN proposed_inline bytea,
  ADD COLUMN accepted_hash text;

CREATE INDEX mutations_by_item ON holdfast.mutations (workflow, item_id, attempt)
  WHERE item_id IS NOT NULL;
-- Small at any time: what is settled leaves it.
CREATE INDEX mutations_of_items_open ON holdfast.mutations (workflow, run_id, item_id)
  WHERE item_id IS NOT NULL AND state <> 'applied' AND state <> 'failed';

CREATE TABLE holdfast.items (
  workflow text COLLATE "C" NOT NULL,
  item_id text COLLATE "C" NOT NULL,
  handler text COLLATE "C" NOT NULL,
  title text NOT NULL,
  status text NOT NULL CONSTRAINT item_status_word CHECK (
    status IN ('processing', 'done', 'failed', 'skipped', 'needs_attention')),
  attempt bigint NOT NULL,
  position bigint NOT NULL,
  touched_seq bigint NOT NULL,
  created_by text NOT NULL,
  last_run_id text NOT NULL,
  mutation_id text,
  older bigint NOT NULL CONSTRAINT item_older_word CHECK (older IN (0, 1)),
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  PRIMARY KEY (workflow, item_id)
);

CREATE TRIGGER item_edge BEFORE UPDATE OF status ON holdfast.items FOR EACH ROW
WHEN (NOT CASE OLD.status
  WHEN 'processing' THEN NEW.status IN ('done', 'failed', 'needs_attention')
  WHEN 'done' THEN NEW.status = 'processing'
  WHEN 'failed' THEN NEW.status <> 'failed'
  WHEN 'skipped' THEN NEW.status = 'processing'
  WHEN 'needs_attention' THEN NEW.status IN ('skipped', 'processing')
  ELSE false END)
EXECUTE FUNCTION holdfast.refuse_row_1('item_edge');

CREATE TRIGGER items_kept BEFORE DELETE ON holdfast.items
FOR EACH ROW EXECUTE FUNCTION holdfast.refuse_row_1('items_kept');

DROP TRIGGER one_live_mutation ON holdfast.mutations;
CREATE TRIGGER one_live_mutation BEFORE INSERT ON holdfast.mutations FOR EACH ROW
WHEN (NEW.state <> 'failed' AND NEW.item_id IS NULL)
EXECUTE FUNCTION holdfast.mutation_is_alone_1();

-- The promise, for items: what was applied, or may have been, is not there a second time.
CREATE FUNCTION holdfast.item_mutation_is_alone_1() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT FROM holdfast.mutations WHERE workflow = NEW.workflow
      AND item_id IS NOT NULL AND state <> 'applied' AND state <> 'failed'
      AND (run_id = NEW.run_id OR item_id = NEW.item_id)
      AND (resolution IS NULL OR resolution::json->>'kind' <> 'skip'))
  THEN
    RAISE EXCEPTION USING ERRCODE = 'HF001', CONSTRAINT = 'one_live_mutation',
      MESSAGE = 'run ' || NEW.run_id || ' or item ' || NEW.item_id || ' has an unsettled mutation';
  END IF;
  IF EXISTS (
    SELECT FROM holdfast.mutations WHERE workflow = NEW.workflow
      AND mutation_key = NEW.mutation_key AND state <> 'failed')
  THEN
    RAISE EXCEPTION USING ERRCODE = 'HF001', CONSTRAINT = 'item_mutation_once',
      MESSAGE = 'item ' || NEW.item_id || ' has this mutation already';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER item_mutation_once BEFORE INSERT ON holdfast.mutations FOR EACH ROW
WHEN (NEW.state <> 'failed' AND NEW.item_id IS NOT NULL)
EXECUTE FUNCTION holdfast.item_mutation_is_alone_1();
CREATE TRIGGER item_mutation_fixed BEFORE UPDATE OF item_id, attempt, mutation_key
ON holdfast.mutations FOR EACH ROW
EXECUTE FUNCTION holdfast.refuse_row_1('item_mutation_once');

ALTER TABLE holdfast.attentions
  DROP CONSTRAINT attention_kind_word,
  ADD CONSTRAINT attention_kind_word CHECK (kind IN (
    'approval', 'outcome_unknown', 'action_needed', 'retries_exhausted', 'run_failed',
    'crash_loop', 'happened_after_all', 'ledger_may_be_older_than_world', 'may_have_happened',
    'payload_differs'));

-- As load_base_1; of a job's run only its last mutation, and the item it is in.
CREATE FUNCTION holdfast.load_base_2(of_workflow text)
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
  IF run.kind = 'job' THEN
    RETURN QUERY SELECT 'mutations', row_to_json(t) FROM holdfast.mutations AS t
      WHERE t.workflow = of_workflow AND t.mutation_id = run.mutation_id;
    RETURN QUERY SELECT 'items', row_to_json(t) FROM holdfast.items AS t
      WHERE t.workflow = of_workflow AND t.item_id = run.item_id;
    RETURN;
  END IF;
  RETURN QUERY SELECT 'mutations', row_to_json(t) FROM holdfast.mutations AS t
    WHERE t.workflow = of_workflow AND t.run_id = run.run_id;
  RETURN QUERY SELECT 'mutations', row_to_json(t) FROM holdfast.mutations AS t
    WHERE t.workflow = of_workflow AND t.mutation_id = run.mutation_id
      AND t.run_id <> run.run_id;
END $$;

CREATE FUNCTION holdfast.load_need_4(of_workflow text, need jsonb)
RETURNS TABLE (of_table text, found json) LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF need->>'kind' = 'base' THEN
    RETURN QUERY SELECT * FROM holdfast.load_base_2(of_workflow);
    RETURN;
  END IF;
  IF need->>'kind' = 'item' THEN
    RETURN QUERY SELECT 'items', row_to_json(t) FROM holdfast.items AS t
      WHERE t.workflow = of_workflow AND t.item_id = need->>'itemId';
    RETURN QUERY SELECT 'mutations', row_to_json(t) FROM holdfast.mutations AS t
      WHERE t.workflow = of_workflow AND t.item_id = need->>'itemId'
        AND (need->>'everyAttempt' = 'true'
          OR t.attempt = (SELECT i.attempt FROM holdfast.items AS i
            WHERE i.workflow = of_workflow AND i.item_id = need->>'itemId'));
    RETURN;
  END IF;
  IF need->>'kind' = 'row' AND need->>'table' = 'items' THEN
    RETURN QUERY SELECT 'items', (SELECT row_to_json(t) FROM holdfast.items AS t
      WHERE t.workflow = of_workflow AND t.item_id = need->'key'->>0);
    RETURN;
  END IF;
  RETURN QUERY SELECT * FROM holdfast.load_need_3(of_workflow, need);
END $$;

-- As load_3, over load_need_4.
CREATE FUNCTION holdfast.load_4(of_workflow text, needs jsonb)
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
      LATERAL holdfast.load_need_4(of_workflow, need.value) AS each;
END $$;

CREATE FUNCTION holdfast.load_locked_4(of_workflow text, needs jsonb)
RETURNS TABLE (need_no bigint, of_table text, found json) LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog SET lock_timeout = 20000
AS $$
BEGIN
  PERFORM FROM holdfast.workflows WHERE id = of_workflow FOR UPDATE;
  RETURN QUERY SELECT * FROM holdfast.load_4(of_workflow, needs);
END $$;
`,
};
