import type { Migration } from "../migrations.ts";

/** A call counts against limits from its last send, and from its record if it was never sent. */
export const countedSends: Migration = {
  version: 26,
  name: "counted-sends",
  sql: `
LOCK TABLE holdfast.workflows, holdfast.mutations IN ACCESS EXCLUSIVE MODE;

ALTER TABLE holdfast.mutations ADD COLUMN counted_at bigint;

-- A process of before still sums up without these two, and only more slowly.
DROP INDEX holdfast.mutations_by_operation;
DROP INDEX holdfast.mutations_by_budget;

CREATE INDEX mutations_by_operation
  ON holdfast.mutations (
    workflow, connection, operation, (coalesce(counted_at, first_sent_at, recorded_at)))
  INCLUDE (amount, mutation_id)
  WHERE state <> 'failed';

CREATE INDEX mutations_by_budget
  ON holdfast.mutations (budget, (coalesce(counted_at, first_sent_at, recorded_at)))
  INCLUDE (amount, workflow, mutation_id)
  WHERE budget IS NOT NULL AND state <> 'failed';

-- As sum_usage_1, by the last send.
CREATE FUNCTION holdfast.sum_usage_2(
  of_workflow text, of_connection text, of_operation text, after bigint, except_id text)
RETURNS TABLE (call_count bigint, amount bigint, oldest_at bigint) LANGUAGE plpgsql STABLE
SET search_path = pg_catalog SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off
AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM holdfast.workflows WHERE id = of_workflow) THEN
    PERFORM holdfast.unknown_workflow_1(of_workflow);
  END IF;
  RETURN QUERY SELECT count(*), least(coalesce(sum(m.amount), 0), 9007199254740991)::bigint,
    min(coalesce(m.counted_at, m.first_sent_at, m.recorded_at))
    FROM holdfast.mutations AS m
    WHERE m.workflow = of_workflow AND m.connection = of_connection
      AND m.operation = of_operation
      AND coalesce(m.counted_at, m.first_sent_at, m.recorded_at) > after
      AND m.state <> 'failed'
      AND (except_id IS NULL OR m.mutation_id <> except_id);
END $$;

-- As sum_budget_2, by the last send. The version is read before the sums: what is charged in
-- between is in them, or moves it.
CREATE FUNCTION holdfast.sum_budget_3(
  store text, of_budget text, after bigint, except_workflow text, except_id text)
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
    WHERE m.budget = of_budget
      AND coalesce(m.counted_at, m.first_sent_at, m.recorded_at) > after
      AND m.state <> 'failed'
      AND (except_id IS NULL OR m.workflow <> except_workflow OR m.mutation_id <> except_id);
  RETURN QUERY SELECT seen, calls.call_count + count(*),
    least(calls.amount + coalesce(sum(r.amount), 0), 9007199254740991)::bigint,
    least(calls.oldest_at, min(r.at))
    FROM holdfast.counted_reads AS r
    WHERE r.budget = of_budget AND r.at > after;
END $$;
`,
};
