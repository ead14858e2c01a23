import type { Migration } from "../migrations.ts";

/**
 * The last turn of the brake on all sending, with the command that tells workflows of it. Its row
 * is always there: turning the brake and telling of it wait for each other there, so that nobody
 * is told of a turn after the next one. Whoever tells has the workflow's row by then, and whoever
 * turns waits for no workflow: a host that stands still in the midst of a commit cannot keep the
 * brake from being set.
 */
export const storeBrake: Migration = {
  version: 23,
  name: "store-brake",
  sql: `
LOCK TABLE holdfast.workflows IN ACCESS EXCLUSIVE MODE;

CREATE TABLE holdfast.store_brake (
  only_row bigint PRIMARY KEY CONSTRAINT store_brake_is_one CHECK (only_row = 1),
  is_on boolean NOT NULL,
  reason text NOT NULL,
  turn_key text,
  command_id text,
  actor text NOT NULL,
  kind text NOT NULL,
  body bytea NOT NULL,
  at bigint NOT NULL
);
INSERT INTO holdfast.store_brake VALUES (1, false, '', NULL, NULL, '', '', '', 0);

CREATE FUNCTION holdfast.turn_store_brake_1(
  store text, to_on boolean, new_reason text, new_key text, new_id text, new_actor text,
  new_kind text, new_body bytea, sent_at bigint
) RETURNS TABLE (in_force text, changed boolean) LANGUAGE plpgsql
SET search_path = pg_catalog SET lock_timeout = 20000
AS $$
DECLARE
  last holdfast.store_brake;
BEGIN
  PERFORM holdfast.admit_1(store);
  SELECT * INTO last FROM holdfast.store_brake FOR UPDATE;
  IF last.turn_key = new_key THEN
    RETURN QUERY SELECT last.command_id, true;
  ELSIF to_on AND last.is_on THEN
    RETURN QUERY SELECT last.command_id, false;
  ELSE
    UPDATE holdfast.store_brake SET is_on = to_on, reason = new_reason, turn_key = new_key,
      command_id = new_id, actor = new_actor, kind = new_kind, body = new_body, at = sent_at;
    RETURN QUERY SELECT new_id, true;
  END IF;
END $$;

CREATE FUNCTION holdfast.tell_of_store_brake_1(store text, of_workflow text, now_ms bigint)
RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog SET lock_timeout = 20000
AS $$
DECLARE
  last holdfast.store_brake;
BEGIN
  PERFORM holdfast.admit_1(store);
  PERFORM FROM holdfast.workflows WHERE id = of_workflow FOR NO KEY UPDATE;
  IF NOT FOUND THEN PERFORM holdfast.unknown_workflow_1(of_workflow); END IF;
  SELECT * INTO last FROM holdfast.store_brake FOR SHARE;
  IF last.command_id IS NULL THEN RETURN; END IF;
  PERFORM holdfast.append_1(store, of_workflow, last.command_id, last.actor, last.kind,
    last.body, last.at, now_ms);
END $$;

-- Also for a program of before, which knows nothing of it.
CREATE FUNCTION holdfast.bear_under_brake_1() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog
AS $$
DECLARE
  last holdfast.store_brake;
BEGIN
  SELECT * INTO last FROM holdfast.store_brake FOR SHARE;
  IF last.is_on THEN
    UPDATE holdfast.workflows SET inbox_tail = 1 WHERE id = NEW.id;
    INSERT INTO holdfast.commands
      (workflow, position, command_id, actor, kind, body, at, appended_at)
    VALUES (NEW.id, 1, last.command_id, last.actor, last.kind, last.body, last.at,
      holdfast.now_ms_1());
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER bear_under_brake AFTER INSERT ON holdfast.workflows FOR EACH ROW
EXECUTE FUNCTION holdfast.bear_under_brake_1();
`,
};
