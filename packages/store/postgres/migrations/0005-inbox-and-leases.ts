import type { Migration } from "../migrations.ts";

/** The living are looked up once for all rows of a statement, not once for each. */
const unowned = (owner: string) => `(${owner} IS NULL OR ${owner} NOT IN (
    SELECT living.incarnation FROM holdfast.hosts AS living
    WHERE living.buried_at IS NULL AND living.expires_at > at_ms))`;

/**
 * Times are the database's own unless a test gives one. Nobody waits for a workflow here that a
 * group may hold: rows of several workflows are locked in the order of their ids, or skipped.
 */
export const inboxAndLeases: Migration = {
  version: 5,
  name: "inbox and leases",
  sql: `
CREATE FUNCTION holdfast.create_workflow_1(store text, new_id text, genesis_hash text)
RETURNS boolean LANGUAGE plpgsql SET search_path = pg_catalog SET lock_timeout = 20000
AS $$
BEGIN
  PERFORM holdfast.admit_1(store);
  INSERT INTO holdfast.workflows (id, head_hash) VALUES (new_id, genesis_hash)
  ON CONFLICT (id) DO NOTHING;
  RETURN FOUND;
END $$;

-- same = false: the id is there with another kind or body.
CREATE FUNCTION holdfast.append_1(
  store text, of_workflow text, new_id text, new_actor text, new_kind text, new_body bytea,
  sent_at bigint, now_ms bigint
) RETURNS TABLE (at_position bigint, duplicate boolean, same boolean) LANGUAGE plpgsql
SET search_path = pg_catalog SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET jit = off
SET lock_timeout = 20000
AS $$
BEGIN
  PERFORM holdfast.admit_1(store);
  PERFORM FROM holdfast.workflows WHERE id = of_workflow FOR NO KEY UPDATE;
  IF NOT FOUND THEN PERFORM holdfast.unknown_workflow_1(of_workflow); END IF;
  SELECT c.position, true, c.kind = new_kind AND c.body = new_body
  INTO at_position, duplicate, same
  FROM holdfast.commands AS c WHERE c.workflow = of_workflow AND c.command_id = new_id;
  IF NOT FOUND THEN
    UPDATE holdfast.workflows SET inbox_tail = inbox_tail + 1 WHERE id = of_workflow
    RETURNING inbox_tail, false, true INTO at_position, duplicate, same;
    INSERT INTO holdfast.commands
      (workflow, position, command_id, actor, kind, body, at, appended_at)
    VALUES (of_workflow, at_position, new_id, new_actor, new_kind, new_body, sent_at,
      coalesce(now_ms, holdfast.now_ms_1()));
  END IF;
  RETURN NEXT;
END $$;

CREATE FUNCTION holdfast.read_inbox_1(of_workflow text, max_count bigint)
RETURNS SETOF holdfast.commands LANGUAGE plpgsql STABLE
SET search_path = pg_catalog SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET jit = off
AS $$
DECLARE
  through bigint;
BEGIN
  SELECT coalesce(w.inbox_through, 0) INTO through FROM holdfast.workflows AS w
  WHERE w.id = of_workflow;
  IF NOT FOUND THEN PERFORM holdfast.unknown_workflow_1(of_workflow); END IF;
  RETURN QUERY SELECT * FROM holdfast.commands AS c
    WHERE c.workflow = of_workflow AND c.position > through ORDER BY c.position LIMIT max_count;
END $$;

-- The dead of long ago that own nothing any more are forgotten here.
CREATE FUNCTION holdfast.open_host_1(
  store text, new_incarnation text, new_lease_ms bigint, now_ms bigint
) RETURNS boolean LANGUAGE plpgsql SET search_path = pg_catalog SET lock_timeout = 20000
AS $$
DECLARE
  at_ms bigint := coalesce(now_ms, holdfast.now_ms_1());
BEGIN
  PERFORM holdfast.admit_1(store);
  DELETE FROM holdfast.hosts AS h WHERE h.incarnation IN (
    SELECT d.incarnation FROM holdfast.hosts AS d WHERE d.buried_at < at_ms - 86400000
      AND d.incarnation <> new_incarnation
      AND NOT EXISTS (SELECT FROM holdfast.workflows WHERE owner = d.incarnation)
    FOR UPDATE SKIP LOCKED);
  INSERT INTO holdfast.hosts (incarnation, lease_ms, expires_at)
  VALUES (new_incarnation, new_lease_ms, at_ms + new_lease_ms)
  ON CONFLICT (incarnation) DO NOTHING;
  RETURN FOUND;
END $$;

-- If it has to wait for a claim that judges the lease, it is judged again afterwards: either this
-- host was buried, or the claim sees the longer lease. Both believing to be right cannot be.
CREATE FUNCTION holdfast.heartbeat_1(store text, of_host text, now_ms bigint) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog SET lock_timeout = 20000 AS $$
DECLARE
  at_ms bigint := coalesce(now_ms, holdfast.now_ms_1());
BEGIN
  PERFORM holdfast.admit_1(store);
  UPDATE holdfast.hosts SET expires_at = greatest(expires_at, at_ms + lease_ms)
  WHERE incarnation = of_host AND buried_at IS NULL
    AND expires_at > coalesce(now_ms, holdfast.now_ms_1());
  RETURN FOUND;
END $$;

-- The host goes first: a claim of its own that is under way is waited for, and a later one
-- finds nobody to claim for.
CREATE FUNCTION holdfast.close_host_1(store text, of_host text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog SET lock_timeout = 20000 AS $$
BEGIN
  PERFORM holdfast.admit_1(store);
  DELETE FROM holdfast.hosts WHERE incarnation = of_host;
  UPDATE holdfast.workflows SET owner = NULL WHERE id IN (
    SELECT id FROM holdfast.workflows WHERE owner = of_host ORDER BY id FOR NO KEY UPDATE);
END $$;

CREATE FUNCTION holdfast.release_1(
  store text, of_host text, of_workflow text, of_epoch bigint
) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog SET lock_timeout = 20000
AS $$
BEGIN
  PERFORM holdfast.admit_1(store);
  UPDATE holdfast.workflows SET owner = NULL
  WHERE id = of_workflow AND owner = of_host AND epoch = of_epoch;
END $$;

CREATE FUNCTION holdfast.waits_since_1(of_workflow text, through bigint, at_ms bigint)
RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT least(appended_at, at_ms) FROM holdfast.commands
  WHERE workflow = of_workflow AND position = coalesce(through, 0) + 1
$$;

-- Ways to be due, each found by its own index. The last two are a dead owner, who may have died
-- in mid-run: it stays due until somebody has looked and committed.
CREATE FUNCTION holdfast.find_due_1(known_version bigint, known boolean, max_count bigint,
  at_ms bigint)
RETURNS TABLE (id text, of_epoch bigint, of_owner text, since bigint)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY SELECT d.id, d.epoch, d.owner, min(d.since) FROM (
    (SELECT w.id, w.epoch, w.owner, w.due_at AS since FROM holdfast.workflows AS w
      WHERE w.due_at <= at_ms AND ${unowned("w.owner")}
        AND (w.fact_version <= known_version) = known
      ORDER BY w.due_at, w.id LIMIT max_count)
    UNION ALL
    (SELECT w.id, w.epoch, w.owner, holdfast.waits_since_1(w.id, w.inbox_through, at_ms)
      FROM holdfast.workflows AS w
      WHERE w.inbox_tail > coalesce(w.inbox_through, 0)
        AND ${unowned("w.owner")}
        AND (w.fact_version <= known_version) = known
      ORDER BY 4, 1 LIMIT max_count)
    UNION ALL
    (SELECT w.id, w.epoch, w.owner, h.expires_at
      FROM holdfast.hosts AS h JOIN holdfast.workflows AS w ON w.owner = h.incarnation
      WHERE (h.buried_at IS NOT NULL OR h.expires_at <= at_ms)
        AND (w.fact_version <= known_version) = known
      ORDER BY 4, 1 LIMIT max_count)
    UNION ALL
    (SELECT w.id, w.epoch, w.owner, w.unclean_since FROM holdfast.workflows AS w
      WHERE w.unclean_since IS NOT NULL AND ${unowned("w.owner")}
        AND (w.fact_version <= known_version) = known
      ORDER BY 4, 1 LIMIT max_count)
  ) AS d GROUP BY d.id, d.epoch, d.owner ORDER BY min(d.since), d.id LIMIT max_count;
END $$;

-- Death is judged here and written down, so that it cannot be judged otherwise later. A host that
-- is extending its lease at this moment is not dead, and whoever is being claimed or written to
-- by somebody else is passed over: the next look finds them.
CREATE FUNCTION holdfast.claim_1(
  store text, by_host text, known_version bigint, max_count bigint, now_ms bigint
) RETURNS TABLE (of_workflow text, new_epoch bigint, unclean boolean) LANGUAGE plpgsql
SET search_path = pg_catalog SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET jit = off
AS $$
DECLARE
  at_ms bigint := coalesce(now_ms, holdfast.now_ms_1());
  due record;
  left_count bigint := max_count;
BEGIN
  PERFORM holdfast.admit_1(store);
  PERFORM FROM holdfast.hosts WHERE incarnation = by_host AND buried_at IS NULL
    AND expires_at > at_ms FOR KEY SHARE;
  IF NOT FOUND THEN RETURN; END IF;
  UPDATE holdfast.hosts SET buried_at = at_ms WHERE incarnation IN (
    SELECT incarnation FROM holdfast.hosts WHERE buried_at IS NULL AND expires_at <= at_ms
    ORDER BY incarnation FOR NO KEY UPDATE SKIP LOCKED);
  FOR due IN SELECT * FROM holdfast.find_due_1(known_version, true, max_count + 256, at_ms) LOOP
    EXIT WHEN left_count <= 0;
    CONTINUE WHEN EXISTS (
      SELECT FROM holdfast.hosts WHERE incarnation = due.of_owner AND buried_at IS NULL);
    PERFORM FROM holdfast.workflows WHERE id = due.id AND epoch = due.of_epoch
      AND owner IS NOT DISTINCT FROM due.of_owner FOR NO KEY UPDATE SKIP LOCKED;
    CONTINUE WHEN NOT FOUND;
    UPDATE holdfast.workflows SET owner = by_host, epoch = epoch + 1,
      unclean_since = coalesce(unclean_since, CASE WHEN due.of_owner IS NOT NULL THEN coalesce(
        (SELECT expires_at FROM holdfast.hosts WHERE incarnation = due.of_owner), at_ms) END)
    WHERE id = due.id RETURNING unclean_since IS NOT NULL INTO unclean;
    left_count := left_count - 1;
    of_workflow := due.id;
    new_epoch := due.of_epoch + 1;
    RETURN NEXT;
  END LOOP;
  -- What is too new for this program has no epoch.
  new_epoch := NULL;
  unclean := NULL;
  FOR of_workflow IN
    SELECT d.id FROM holdfast.find_due_1(known_version, false, max_count, at_ms) AS d
  LOOP
    RETURN NEXT;
  END LOOP;
END $$;

CREATE FUNCTION holdfast.next_due_at_1(known_version bigint, now_ms bigint) RETURNS bigint
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET jit = off
AS $$
DECLARE
  at_ms bigint := coalesce(now_ms, holdfast.now_ms_1());
  by_time bigint;
  by_inbox bigint;
  by_death bigint;
  by_death_before bigint;
BEGIN
  SELECT due_at INTO by_time FROM holdfast.workflows
  WHERE due_at IS NOT NULL AND fact_version <= known_version
    AND ${unowned("owner")}
  ORDER BY due_at LIMIT 1;
  SELECT min(holdfast.waits_since_1(id, inbox_through, at_ms)) INTO by_inbox
  FROM holdfast.workflows
  WHERE inbox_tail > coalesce(inbox_through, 0) AND fact_version <= known_version
    AND ${unowned("owner")};
  SELECT min(h.expires_at) INTO by_death
  FROM holdfast.hosts AS h JOIN holdfast.workflows AS w ON w.owner = h.incarnation
  WHERE (h.buried_at IS NOT NULL OR h.expires_at <= at_ms) AND w.fact_version <= known_version;
  SELECT min(unclean_since) INTO by_death_before FROM holdfast.workflows
  WHERE unclean_since IS NOT NULL AND fact_version <= known_version
    AND ${unowned("owner")};
  RETURN least(by_time, by_inbox, by_death, by_death_before);
END $$;

CREATE FUNCTION holdfast.census_1(known_version bigint, waiting_max bigint, now_ms bigint)
RETURNS TABLE (hosts bigint, owned bigint, waiting bigint) LANGUAGE plpgsql STABLE
SET search_path = pg_catalog SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET jit = off
AS $$
DECLARE
  at_ms bigint := coalesce(now_ms, holdfast.now_ms_1());
BEGIN
  SELECT count(*) INTO hosts FROM holdfast.hosts AS h
  WHERE h.buried_at IS NULL AND h.expires_at > at_ms;
  SELECT count(*) INTO owned FROM holdfast.hosts AS h
  JOIN holdfast.workflows AS w ON w.owner = h.incarnation
  WHERE h.buried_at IS NULL AND h.expires_at > at_ms;
  SELECT count(*) INTO waiting
  FROM holdfast.find_due_1(known_version, true, waiting_max, at_ms);
  RETURN NEXT;
END $$;
`,
};
