import type { Migration } from "../migrations.ts";

/** A call that a process elsewhere makes waits until one asks, and whoever is asked finds it. */
export const awaitedExecutors: Migration = {
  version: 30,
  name: "awaited-executors",
  sql: `
LOCK TABLE holdfast.workflows, holdfast.mutations IN ACCESS EXCLUSIVE MODE;

ALTER TABLE holdfast.mutations ADD COLUMN awaits_executor text COLLATE "C";

CREATE INDEX mutations_awaiting ON holdfast.mutations (awaits_executor, workflow)
  WHERE awaits_executor IS NOT NULL;

-- As claim_1 of one that may not be due. A dead owner is judged there, and not here: what is left
-- of it is claimed by whoever looks for work, and its run may have died with it.
CREATE FUNCTION holdfast.claim_one_1(
  store text, by_host text, of_workflow text, known_version bigint, now_ms bigint
) RETURNS TABLE (new_epoch bigint, unclean boolean) LANGUAGE plpgsql
SET search_path = pg_catalog SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET jit = off
AS $$
DECLARE
  at_ms bigint := coalesce(now_ms, holdfast.now_ms_1());
BEGIN
  PERFORM holdfast.admit_1(store);
  PERFORM FROM holdfast.hosts WHERE incarnation = by_host AND buried_at IS NULL
    AND expires_at > at_ms FOR KEY SHARE;
  IF NOT FOUND THEN RETURN; END IF;
  PERFORM FROM holdfast.workflows WHERE id = of_workflow AND owner IS NULL
    AND fact_version <= known_version FOR NO KEY UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    IF NOT EXISTS (SELECT FROM holdfast.workflows WHERE id = of_workflow) THEN
      PERFORM holdfast.unknown_workflow_1(of_workflow);
    END IF;
    RETURN;
  END IF;
  RETURN QUERY UPDATE holdfast.workflows AS w SET owner = by_host, epoch = w.epoch + 1
    WHERE w.id = of_workflow RETURNING w.epoch, w.unclean_since IS NOT NULL;
END $$;
`,
};
