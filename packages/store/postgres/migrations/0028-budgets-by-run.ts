import type { Migration } from "../migrations.ts";

/** What a run was charged under a budget, for limits on the run. */
export const budgetsByRun: Migration = {
  version: 28,
  name: "budgets by run",
  sql: `
LOCK TABLE holdfast.workflows, holdfast.mutations, holdfast.counted_reads
  IN ACCESS EXCLUSIVE MODE;

-- Without it a plan may walk all that was ever charged to the budget.
CREATE INDEX mutations_by_run_budget
  ON holdfast.mutations (
    workflow, run_id, budget, (coalesce(counted_at, first_sent_at, recorded_at)))
  INCLUDE (amount, mutation_id)
  WHERE budget IS NOT NULL AND state <> 'failed';

CREATE INDEX counted_reads_by_run
  ON holdfast.counted_reads (workflow, run_id, budget, at) INCLUDE (amount)
  WHERE budget IS NOT NULL;

-- As sum_budget_3, of one run.
CREATE FUNCTION holdfast.sum_run_budget_1(
  store text, of_budget text, after bigint, except_workflow text, except_id text,
  of_workflow text, of_run text)
RETURNS TABLE (version bigint, call_count bigint, amount bigint, oldest_at bigint)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off
AS $$
DECLARE
  seen bigint;
  calls record;
BEGIN
  SELECT b.version INTO seen FROM holdfast.budgets AS b WHERE b.name = of_budget;
  IF seen IS NULL THEN
    PERFORM holdfast.admit_1(store);
    INSERT INTO holdfast.budgets (name, version) VALUES (of_budget, 0) ON CONFLICT DO NOTHING;
    seen := 0;
  END IF;
  SELECT count(*) AS call_count, coalesce(sum(m.amount), 0) AS amount,
    min(coalesce(m.counted_at, m.first_sent_at, m.recorded_at)) AS oldest_at
    INTO STRICT calls
    FROM holdfast.mutations AS m
    WHERE m.workflow = of_workflow AND m.run_id = of_run AND m.budget = of_budget
      AND coalesce(m.counted_at, m.first_sent_at, m.recorded_at) > after
      AND m.state <> 'failed'
      AND (except_id IS NULL OR m.workflow <> except_workflow OR m.mutation_id <> except_id);
  RETURN QUERY SELECT seen, calls.call_count + count(*),
    least(calls.amount + coalesce(sum(r.amount), 0), 9007199254740991)::bigint,
    least(calls.oldest_at, min(r.at))
    FROM holdfast.counted_reads AS r
    WHERE r.workflow = of_workflow AND r.run_id = of_run AND r.budget = of_budget
      AND r.at > after;
END $$;
`,
};
