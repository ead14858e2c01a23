import type { Migration } from "../migrations.ts";

/** What several workflows spend from together: by which name, and how far it has moved. */
export const budgets: Migration = {
  version: 11,
  name: "budgets",
  sql: `
LOCK TABLE holdfast.workflows, holdfast.mutations IN ACCESS EXCLUSIVE MODE;

ALTER TABLE holdfast.mutations ADD COLUMN budget text COLLATE "C";

CREATE TABLE holdfast.budgets (
  name text COLLATE "C" PRIMARY KEY,
  version bigint NOT NULL
);

CREATE INDEX mutations_by_budget
  ON holdfast.mutations (budget, (coalesce(first_sent_at, recorded_at)))
  INCLUDE (amount, workflow, mutation_id)
  WHERE budget IS NOT NULL AND state <> 'failed';

-- The version is read before the sum: what is charged in between is in the sum, or moves it.
CREATE FUNCTION holdfast.sum_budget_1(
  store text, of_budget text, after bigint, except_workflow text, except_id text)
RETURNS TABLE (version bigint, call_count bigint, amount bigint, oldest_at bigint)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off
AS $$
DECLARE
  seen bigint;
BEGIN
  SELECT b.version INTO seen FROM holdfast.budgets AS b WHERE b.name = of_budget;
  IF seen IS NULL THEN
    PERFORM holdfast.admit_1(store);
    INSERT INTO holdfast.budgets (name, version) VALUES (of_budget, 0) ON CONFLICT DO NOTHING;
    seen := 0;
  END IF;
  RETURN QUERY SELECT seen, count(*),
    least(coalesce(sum(m.amount), 0), 9007199254740991)::bigint,
    min(coalesce(m.first_sent_at, m.recorded_at))
    FROM holdfast.mutations AS m
    WHERE m.budget = of_budget AND coalesce(m.first_sent_at, m.recorded_at) > after
      AND m.state <> 'failed'
      AND (except_id IS NULL OR m.workflow <> except_workflow OR m.mutation_id <> except_id);
END $$;
`,
};
