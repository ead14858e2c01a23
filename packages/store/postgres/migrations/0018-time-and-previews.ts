import type { Migration } from "../migrations.ts";

/**
 * How long the code of a run has run; of what has ended it can be summed up from the index. And
 * what a call is in the host's words, where the script has none for it.
 */
export const timeAndPreviews: Migration = {
  version: 18,
  name: "time and previews",
  sql: `
LOCK TABLE holdfast.workflows, holdfast.runs, holdfast.mutations IN ACCESS EXCLUSIVE MODE;

ALTER TABLE holdfast.runs ADD COLUMN active_ms bigint NOT NULL DEFAULT 0;
ALTER TABLE holdfast.mutations ADD COLUMN preview text;

-- A run gets here once, when it ends, and stays as it is.
CREATE INDEX runs_active ON holdfast.runs (workflow, ended_at) INCLUDE (active_ms)
  WHERE ended_at IS NOT NULL AND active_ms > 0;

CREATE FUNCTION holdfast.sum_active_1(of_workflow text, after bigint)
RETURNS TABLE (active_ms bigint, oldest_at bigint) LANGUAGE plpgsql STABLE
SET search_path = pg_catalog SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off
AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM holdfast.workflows WHERE id = of_workflow) THEN
    PERFORM holdfast.unknown_workflow_1(of_workflow);
  END IF;
  RETURN QUERY SELECT least(coalesce(sum(r.active_ms), 0), 9007199254740991)::bigint,
    min(r.ended_at)
    FROM holdfast.runs AS r
    WHERE r.workflow = of_workflow AND r.ended_at > after AND r.active_ms > 0;
END $$;
`,
};
