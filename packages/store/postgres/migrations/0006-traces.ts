import type { Migration } from "../migrations.ts";

/** What runs did, for people: no fact stands on it, and it is forgotten by position and by time. */
export const traces: Migration = {
  version: 6,
  name: "traces",
  sql: `
CREATE TABLE holdfast.traces (
  workflow text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  text text NOT NULL,
  PRIMARY KEY (workflow, seq)
);
CREATE INDEX traces_by_time ON holdfast.traces (at);

-- What somebody else is forgetting is passed over: nobody waits for it.
CREATE FUNCTION holdfast.prune_traces_1(store text, before bigint, max_count bigint)
RETURNS bigint LANGUAGE plpgsql SET search_path = pg_catalog SET enable_seqscan = off
AS $$
DECLARE
  pruned bigint;
BEGIN
  PERFORM holdfast.admit_1(store);
  WITH old AS MATERIALIZED (
    SELECT o.workflow, o.seq FROM holdfast.traces AS o WHERE o.at < before
    ORDER BY o.at LIMIT max_count FOR UPDATE SKIP LOCKED)
  DELETE FROM holdfast.traces AS t USING old
  WHERE t.workflow = old.workflow AND t.seq = old.seq;
  GET DIAGNOSTICS pruned = ROW_COUNT;
  RETURN pruned;
END $$;
`,
};
