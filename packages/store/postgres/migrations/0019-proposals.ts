import type { Migration } from "../migrations.ts";

/** Versions that are to be tried and agreed to before they are active. */
export const proposals: Migration = {
  version: 19,
  name: "proposals",
  sql: `
LOCK TABLE holdfast.workflows IN ACCESS EXCLUSIVE MODE;

ALTER TABLE holdfast.workflows
  ADD COLUMN definitions text,
  ADD COLUMN proposal_count bigint DEFAULT 0,
  ADD COLUMN applying bigint;

CREATE TABLE holdfast.proposals (
  workflow text COLLATE "C" NOT NULL,
  number bigint NOT NULL,
  status text NOT NULL CONSTRAINT proposal_status_word CHECK (
    status IN ('submitted', 'shadowed', 'approved', 'rejected', 'applied')),
  version text NOT NULL,
  script_hash text NOT NULL,
  base text NOT NULL,
  body_digest text NOT NULL,
  body_size bigint NOT NULL,
  body_inline bytea,
  changes text NOT NULL,
  description text,
  author text NOT NULL,
  proposed_at bigint NOT NULL,
  report_digest text,
  report_size bigint,
  report_inline bytea,
  shadowed_by text,
  shadowed_at bigint,
  decided_by text,
  decided_at bigint,
  reason text,
  asked_by text,
  asked_at bigint,
  waits bigint NOT NULL,
  obstacles_digest text,
  obstacles_size bigint,
  obstacles_inline bytea,
  applied_at bigint,
  PRIMARY KEY (workflow, number)
);

-- A number is never used again, and what was decided is not undone.
CREATE TRIGGER proposals_kept BEFORE DELETE ON holdfast.proposals
FOR EACH ROW EXECUTE FUNCTION holdfast.refuse_row_1('proposals_kept');
CREATE TRIGGER proposals_final BEFORE UPDATE ON holdfast.proposals
FOR EACH ROW WHEN (OLD.status IN ('rejected', 'applied'))
EXECUTE FUNCTION holdfast.refuse_row_1('proposals_kept');

CREATE FUNCTION holdfast.load_need_6(of_workflow text, need jsonb)
RETURNS TABLE (of_table text, found json) LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF need->>'kind' = 'row' AND need->>'table' = 'proposals' THEN
    RETURN QUERY SELECT 'proposals', (SELECT row_to_json(t)
      FROM holdfast.proposals AS t
      WHERE t.workflow = of_workflow AND t.number = (need->'key'->>0)::bigint);
    RETURN;
  END IF;
  RETURN QUERY SELECT * FROM holdfast.load_need_5(of_workflow, need);
END $$;

-- As load_5, over load_need_6.
CREATE FUNCTION holdfast.load_6(of_workflow text, needs jsonb)
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
      LATERAL holdfast.load_need_6(of_workflow, need.value) AS each;
END $$;

CREATE FUNCTION holdfast.load_locked_6(of_workflow text, needs jsonb)
RETURNS TABLE (need_no bigint, of_table text, found json) LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog SET lock_timeout = 20000
AS $$
BEGIN
  PERFORM FROM holdfast.workflows WHERE id = of_workflow FOR UPDATE;
  RETURN QUERY SELECT * FROM holdfast.load_6(of_workflow, needs);
END $$;
`,
};
