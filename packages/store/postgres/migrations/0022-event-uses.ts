import type { Migration } from "../migrations.ts";

/** What machines made of the events of topics, to be found from either side. */
export const eventUses: Migration = {
  version: 22,
  name: "event-uses",
  sql: `
CREATE TABLE holdfast.event_uses (
  workflow text COLLATE "C" NOT NULL,
  topic text COLLATE "C" NOT NULL,
  message_id text COLLATE "C" NOT NULL,
  used_by text COLLATE "C" NOT NULL,
  PRIMARY KEY (workflow, topic, message_id, used_by)
);
CREATE INDEX event_uses_by_user
  ON holdfast.event_uses (workflow, used_by, topic, message_id);

CREATE FUNCTION holdfast.load_uses_1(of_workflow text, of_topic text, of_message text)
RETURNS TABLE (of_table text, found json) LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY SELECT 'event_uses', row_to_json(u) FROM holdfast.event_uses AS u
    WHERE u.workflow = of_workflow AND u.topic = of_topic AND u.message_id = of_message;
  RETURN QUERY SELECT 'runs', row_to_json(t) FROM holdfast.event_uses AS u
    JOIN holdfast.runs AS t ON t.workflow = u.workflow AND t.run_id = u.used_by
    WHERE u.workflow = of_workflow AND u.topic = of_topic AND u.message_id = of_message;
  RETURN QUERY SELECT 'mutations', row_to_json(t) FROM holdfast.event_uses AS u
    JOIN holdfast.mutations AS t ON t.workflow = u.workflow AND t.run_id = u.used_by
    WHERE u.workflow = of_workflow AND u.topic = of_topic AND u.message_id = of_message;
  RETURN QUERY SELECT 'attentions', row_to_json(t) FROM holdfast.event_uses AS u
    JOIN holdfast.attentions AS t ON t.workflow = u.workflow AND t.attention_id = u.used_by
    WHERE u.workflow = of_workflow AND u.topic = of_topic AND u.message_id = of_message;
  -- It was received in the fact after the one that published the event.
  RETURN QUERY SELECT 'machine_inputs', row_to_json(t) FROM holdfast.events AS e
    JOIN holdfast.machine_inputs AS t ON t.workflow = e.workflow AND t.position = e.position + 1
    WHERE e.workflow = of_workflow AND e.topic = of_topic AND e.message_id = of_message;
END $$;

CREATE FUNCTION holdfast.load_need_8(of_workflow text, need jsonb)
RETURNS TABLE (of_table text, found json) LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF need->>'kind' = 'row' AND need->>'table' = 'event_uses' THEN
    RETURN QUERY SELECT 'event_uses', (SELECT row_to_json(t) FROM holdfast.event_uses AS t
      WHERE t.workflow = of_workflow AND t.topic = need->'key'->>0
        AND t.message_id = need->'key'->>1 AND t.used_by = need->'key'->>2);
    RETURN;
  END IF;
  IF need->>'kind' = 'uses' THEN
    RETURN QUERY SELECT *
      FROM holdfast.load_uses_1(of_workflow, need->>'topic', need->>'messageId');
    RETURN;
  END IF;
  RETURN QUERY SELECT * FROM holdfast.load_need_7(of_workflow, need);
  IF need->>'kind' = 'input' THEN
    RETURN QUERY SELECT each.* FROM holdfast.event_inputs AS i,
        LATERAL holdfast.load_uses_1(of_workflow, i.topic, i.message_id) AS each
      WHERE i.workflow = of_workflow AND i.input_id = need->>'inputId';
  END IF;
END $$;

-- As load_7, over load_need_8.
CREATE FUNCTION holdfast.load_8(of_workflow text, needs jsonb)
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
      LATERAL holdfast.load_need_8(of_workflow, need.value) AS each;
END $$;

CREATE FUNCTION holdfast.load_locked_8(of_workflow text, needs jsonb)
RETURNS TABLE (need_no bigint, of_table text, found json) LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog SET lock_timeout = 20000
AS $$
BEGIN
  PERFORM FROM holdfast.workflows WHERE id = of_workflow FOR UPDATE;
  RETURN QUERY SELECT * FROM holdfast.load_8(of_workflow, needs);
END $$;
`,
};
