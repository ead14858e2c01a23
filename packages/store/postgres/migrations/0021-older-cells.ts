import type { Migration } from "../migrations.ts";

/** Which cells of machines are from before a restore. */
export const olderCells: Migration = {
  version: 21,
  name: "older-cells",
  sql: `
LOCK TABLE holdfast.workflows IN ACCESS EXCLUSIVE MODE;

ALTER TABLE holdfast.workflows ADD COLUMN restored_machine_seq bigint;

CREATE TABLE holdfast.older_cells (
  workflow text COLLATE "C" NOT NULL,
  mark text COLLATE "C" NOT NULL,
  PRIMARY KEY (workflow, mark)
);

CREATE FUNCTION holdfast.load_need_7(of_workflow text, need jsonb)
RETURNS TABLE (of_table text, found json) LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF need->>'kind' = 'row' AND need->>'table' = 'older_cells' THEN
    RETURN QUERY SELECT 'older_cells', (SELECT row_to_json(t)
      FROM holdfast.older_cells AS t
      WHERE t.workflow = of_workflow AND t.mark = need->'key'->>0);
    RETURN;
  END IF;
  RETURN QUERY SELECT * FROM holdfast.load_need_6(of_workflow, need);
END $$;

-- As load_6, over load_need_7.
CREATE FUNCTION holdfast.load_7(of_workflow text, needs jsonb)
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
      LATERAL holdfast.load_need_7(of_workflow, need.value) AS each;
END $$;

CREATE FUNCTION holdfast.load_locked_7(of_workflow text, needs jsonb)
RETURNS TABLE (need_no bigint, of_table text, found json) LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog SET lock_timeout = 20000
AS $$
BEGIN
  PERFORM FROM holdfast.workflows WHERE id = of_workflow FOR UPDATE;
  RETURN QUERY SELECT * FROM holdfast.load_7(of_workflow, needs);
END $$;
`,
};
