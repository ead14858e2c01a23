import type { Migration } from "../migrations.ts";

/** What waits for machines, what their kernel has recorded, and their intents that are not done. */
export const machines: Migration = {
  version: 16,
  name: "machines",
  sql: `
LOCK TABLE holdfast.workflows, holdfast.topics, holdfast.runs IN ACCESS EXCLUSIVE MODE;

ALTER TABLE holdfast.workflows
  ADD COLUMN machine_seq bigint DEFAULT 0,
  ADD COLUMN machine_due_at bigint,
  ADD COLUMN machine_input_seq bigint DEFAULT 0,
  ADD COLUMN machine_through bigint DEFAULT 0;
ALTER TABLE holdfast.topics ADD COLUMN machines bigint NOT NULL DEFAULT 0;

-- Small at any time: what is settled leaves it.
CREATE INDEX runs_of_intents ON holdfast.runs (workflow)
  WHERE trigger = 'intent' AND ended_at IS NULL;

CREATE TABLE holdfast.machine_inputs (
  workflow text COLLATE "C" NOT NULL,
  position bigint NOT NULL,
  kind text NOT NULL CONSTRAINT machine_input_kind_word CHECK (
    kind IN ('manifest', 'event', 'direct', 'cancel', 'restart', 'outcome')),
  body_digest text NOT NULL,
  body_size bigint NOT NULL,
  body_inline bytea,
  PRIMARY KEY (workflow, position)
);

CREATE TABLE holdfast.machine_frames (
  workflow text COLLATE "C" NOT NULL,
  first_seq bigint NOT NULL,
  last_seq bigint NOT NULL,
  seq bigint NOT NULL,
  body_digest text NOT NULL,
  body_size bigint NOT NULL,
  body_inline bytea,
  snapshot_digest text,
  snapshot_size bigint,
  snapshot_inline bytea,
  PRIMARY KEY (workflow, first_seq)
);

-- The machines' journal only grows, by what follows it directly.
CREATE TRIGGER machine_frames_kept BEFORE DELETE ON holdfast.machine_frames
FOR EACH ROW EXECUTE FUNCTION holdfast.refuse_row_1('machine_frames_kept');
CREATE TRIGGER machine_frames_fixed BEFORE UPDATE ON holdfast.machine_frames
FOR EACH ROW EXECUTE FUNCTION holdfast.refuse_row_1('machine_frames_kept');
CREATE FUNCTION holdfast.machine_frame_follows_1() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.first_seq <> 1 + coalesce((SELECT t.last_seq FROM holdfast.machine_frames AS t
    WHERE t.workflow = NEW.workflow ORDER BY t.first_seq DESC LIMIT 1), 0)
  THEN
    RAISE EXCEPTION USING ERRCODE = 'HF001', CONSTRAINT = 'machine_frame_follows',
      MESSAGE = 'frame ' || NEW.first_seq || ' does not follow the last one';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER machine_frame_follows BEFORE INSERT ON holdfast.machine_frames
FOR EACH ROW EXECUTE FUNCTION holdfast.machine_frame_follows_1();

-- As load_base_2, and the intents that are not done, each with its call and its item.
CREATE FUNCTION holdfast.load_base_3(of_workflow text)
RETURNS TABLE (of_table text, found json) LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY SELECT * FROM holdfast.load_base_2(of_workflow);
  RETURN QUERY SELECT 'runs', row_to_json(t) FROM holdfast.runs AS t
    WHERE t.workflow = of_workflow AND t.trigger = 'intent' AND t.ended_at IS NULL;
  IF NOT FOUND THEN RETURN; END IF;
  RETURN QUERY SELECT 'mutations', row_to_json(m) FROM holdfast.runs AS t
    JOIN holdfast.mutations AS m ON m.workflow = t.workflow AND m.mutation_id = t.mutation_id
    WHERE t.workflow = of_workflow AND t.trigger = 'intent' AND t.ended_at IS NULL;
  RETURN QUERY SELECT 'items', row_to_json(i) FROM holdfast.runs AS t
    JOIN holdfast.items AS i ON i.workflow = t.workflow AND i.item_id = t.item_id
    WHERE t.workflow = of_workflow AND t.trigger = 'intent' AND t.ended_at IS NULL;
END $$;

CREATE FUNCTION holdfast.load_need_5(of_workflow text, need jsonb)
RETURNS TABLE (of_table text, found json) LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF need->>'kind' = 'base' THEN
    RETURN QUERY SELECT * FROM holdfast.load_base_3(of_workflow);
    RETURN;
  END IF;
  IF need->>'kind' = 'machine_inputs' THEN
    RETURN QUERY SELECT 'machine_inputs', row_to_json(t) FROM holdfast.machine_inputs AS t
      WHERE t.workflow = of_workflow ORDER BY t.position LIMIT 100;
    RETURN;
  END IF;
  IF need->>'kind' = 'row' AND need->>'table' = 'machine_inputs' THEN
    RETURN QUERY SELECT 'machine_inputs', (SELECT row_to_json(t)
      FROM holdfast.machine_inputs AS t
      WHERE t.workflow = of_workflow AND t.position = (need->'key'->>0)::bigint);
    RETURN;
  END IF;
  IF need->>'kind' = 'row' AND need->>'table' = 'machine_frames' THEN
    RETURN QUERY SELECT 'machine_frames', (SELECT row_to_json(t)
      FROM holdfast.machine_frames AS t
      WHERE t.workflow = of_workflow AND t.first_seq = (need->'key'->>0)::bigint);
    RETURN;
  END IF;
  RETURN QUERY SELECT * FROM holdfast.load_need_4(of_workflow, need);
END $$;

-- As load_4, over load_need_5.
CREATE FUNCTION holdfast.load_5(of_workflow text, needs jsonb)
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
      LATERAL holdfast.load_need_5(of_workflow, need.value) AS each;
END $$;

CREATE FUNCTION holdfast.load_locked_5(of_workflow text, needs jsonb)
RETURNS TABLE (need_no bigint, of_table text, found json) LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog SET lock_timeout = 20000
AS $$
BEGIN
  PERFORM FROM holdfast.workflows WHERE id = of_workflow FOR UPDATE;
  RETURN QUERY SELECT * FROM holdfast.load_5(of_workflow, needs);
END $$;
`,
};
