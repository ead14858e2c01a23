import type { Migration } from "../migrations.ts";

/** Answers to metered calls, so that a retry does not pay again. */
export const keptResults: Migration = {
  version: 24,
  name: "kept results",
  sql: `
CREATE TABLE holdfast.kept_results (
  workflow text COLLATE "C" NOT NULL,
  chain text COLLATE "C" NOT NULL,
  call text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  result text,
  PRIMARY KEY (workflow, chain, call)
);

CREATE INDEX kept_results_by_time ON holdfast.kept_results (workflow, at);

CREATE FUNCTION holdfast.find_kept_1(of_workflow text, of_chain text, of_call text)
RETURNS TABLE (at bigint, result text) LANGUAGE plpgsql STABLE
SET search_path = pg_catalog SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off
AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM holdfast.workflows WHERE id = of_workflow) THEN
    PERFORM holdfast.unknown_workflow_1(of_workflow);
  END IF;
  RETURN QUERY SELECT k.at, k.result FROM holdfast.kept_results AS k
    WHERE k.workflow = of_workflow AND k.chain = of_chain AND k.call = of_call;
END $$;
`,
};
