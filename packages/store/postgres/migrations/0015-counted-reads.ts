import type { Migration } from "../migrations.ts";

/** Reads and metered calls whose grant limits them: they are in no ledger, so they are counted. */
export const countedReads: Migration = {
  version: 15,
  name: "counted reads",
  sql: `
CREATE TABLE holdfast.counted_reads (
  workflow text COLLATE "C" NOT NULL,
  read_id text COLLATE "C" NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  connection text COLLATE "C" NOT NULL,
  operation text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  amount bigint,
  budget text COLLATE "C",
  PRIMARY KEY (workflow, read_id)
);

CREATE INDEX counted_reads_by_operation
  ON holdfast.counted_reads (workflow, connection, operation, at) INCLUDE (amount, run_id);

CREATE INDEX counted_reads_by_budget
  ON holdfast.counted_reads (budget, at) INCLUDE (amount) WHERE budget IS NOT NULL;

CREATE FUNCTION holdfast.sum_reads_1(
  of_workflow text, of_connection text, of_operation text, after bigint, of_run text)
RETURNS TABLE (call_count bigint, amount bigint, oldest_at bigint) LANGUAGE plpgsql STABLE
SET search_path = pg_catalog SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off
AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM holdfast.workflows WHERE id = of_workflow) THEN
    PERFORM holdfast.unknown_workflow_1(of_workflow);
  END IF;
  RETURN QUERY SELECT count(*), least(coalesce(sum(r.amount), 0), 9007199254740991)::bigint,
    min(r.at)
    FROM holdfast.counted_reads AS r
    WHERE r.workflow = of_workflow AND r.connection = of_connection
      AND r.operation = of_operation AND r.at > after
      AND (of_run IS NULL OR r.run_id = of_run);
END $$;

-- As sum_budget_1, with the reads that were charged. Two statements, so that these are looked at
-- after the version was read.
CREATE FUNCTION holdfast.sum_budget_2(
  store text, of_budget text, after bigint, except_workflow text, except_id text)
RETURNS TABLE (version bigint, call_count bigint, amount bigint, oldest_at bigint)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off
AS $$
DECLARE
  calls record;
BEGIN
  SELECT * INTO STRICT calls
    FROM holdfast.sum_budget_1(store, of_budget, after, except_workflow, except_id);
  RETURN QUERY SELECT calls.version, calls.call_count + count(*),
    least(calls.amount + coalesce(sum(r.amount), 0), 9007199254740991)::bigint,
    least(calls.oldest_at, min(r.at))
    FROM holdfast.counted_reads AS r
    WHERE r.budget = of_budget AND r.at > after;
END $$;
`,
};
