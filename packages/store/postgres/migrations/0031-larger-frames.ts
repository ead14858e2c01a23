import type { Migration } from "../migrations.ts";

/** A frame of machines takes in more at once. */
export const largerFrames: Migration = {
  version: 31,
  name: "larger-frames",
  sql: `
-- As load_need_8, with more of what waits for machines.
CREATE FUNCTION holdfast.load_need_9(of_workflow text, need jsonb)
RETURNS TABLE (of_table text, found json) LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF need->>'kind' = 'machine_inputs' THEN
    RETURN QUERY SELECT 'machine_inputs', row_to_json(t) FROM holdfast.machine_inputs AS t
      WHERE t.workflow = of_workflow ORDER BY t.position LIMIT 256;
    RETURN;
  END IF;
  RETURN QUERY SELECT * FROM holdfast.load_need_8(of_workflow, need);
END $$;

-- As load_8, over load_need_9.
CREATE FUNCTION holdfast.load_9(of_workflow text, needs jsonb)
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
      LATERAL holdfast.load_need_9(of_workflow, need.value) AS each;
END $$;

CREATE FUNCTION holdfast.load_locked_9(of_workflow text, needs jsonb)
RETURNS TABLE (need_no bigint, of_table text, found json) LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog SET lock_timeout = 20000
AS $$
BEGIN
  PERFORM FROM holdfast.workflows WHERE id = of_workflow FOR UPDATE;
  RETURN QUERY SELECT * FROM holdfast.load_9(of_workflow, needs);
END $$;
`,
};
