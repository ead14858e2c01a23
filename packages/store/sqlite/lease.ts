import {
  type Census,
  type Claim,
  type ClaimAnswer,
  type Instant,
  type Owned,
  waitingCountMax,
} from "@holdfast/core";
import { takenHost } from "../store-errors.ts";
import { compareText } from "../text-order.ts";
import type { Connection } from "./connection.ts";

/** All times here are the store's own clock; a lease that ends at `now` has ended. */
export type LeaseMoment = { readonly now: Instant; readonly knownFactVersion: number };

const unowned = `
(owner IS NULL OR NOT EXISTS (
  SELECT 1 FROM hosts WHERE incarnation = owner AND expires_at > ?1))`;

const unclean = "(owner IS NOT NULL OR unclean_since IS NOT NULL)";

/** Ways to be due, each walked in order by its own index. */
const dueByTime = `
SELECT id, epoch, ${unclean}, due_at FROM workflows
WHERE due_at <= ?1 AND ${unowned} AND (fact_version <= ?2) = ?3
ORDER BY due_at, id LIMIT ?4`;

const waitsSince = `
(SELECT min(appended_at, ?1) FROM commands
  WHERE workflow = id AND position = coalesce(inbox_through, 0) + 1)`;

const dueByInbox = `
SELECT id, epoch, ${unclean}, ${waitsSince} AS since FROM workflows
WHERE inbox_tail > coalesce(inbox_through, 0) AND ${unowned} AND (fact_version <= ?2) = ?3
ORDER BY since, id LIMIT ?4`;

/** A dead owner may have died in mid-run: due or not, somebody has to look and commit. */
const dueByDeath = `
SELECT id, epoch, ${unclean}, coalesce(expires_at, 0) FROM workflows
LEFT JOIN hosts ON incarnation = owner
WHERE owner IS NOT NULL AND ${unowned} AND (fact_version <= ?2) = ?3
ORDER BY 4, id LIMIT ?4`;

const dueByDeathBefore = `
SELECT id, epoch, ${unclean}, unclean_since FROM workflows
WHERE unclean_since IS NOT NULL AND ${unowned} AND (fact_version <= ?2) = ?3
ORDER BY 4, id LIMIT ?4`;

const take = `
UPDATE workflows SET owner = ?1, epoch = epoch + 1,
  unclean_since = coalesce(unclean_since, iif(owner IS NULL, NULL,
    coalesce((SELECT expires_at FROM hosts WHERE incarnation = owner), 0)))
WHERE id = ?2`;

type Due = Claim & { readonly since: Instant };

export function openHost(
  connection: Connection,
  host: { readonly incarnation: string; readonly leaseMs: number },
  now: Instant,
): void {
  const { incarnation, leaseMs } = host;
  const sql = `INSERT INTO hosts (incarnation, lease_ms, expires_at) VALUES (?, ?, ?)
    ON CONFLICT (incarnation) DO NOTHING`;
  const opened = connection.run(sql, incarnation, leaseMs, now + leaseMs) === 1;
  if (!opened) throw takenHost(incarnation);
  connection.atBoundary?.("host opened");
}

/** Whoever holds the folder knows that no other process lives here: nobody waits for its lease. */
export function endLeasesOfTheDead(connection: Connection, now: Instant): void {
  connection.run("UPDATE hosts SET expires_at = ?1 WHERE expires_at > ?1", now);
  connection.atBoundary?.("leases of the dead ended");
}

export function heartbeat(connection: Connection, incarnation: string, now: Instant): boolean {
  const sql = `UPDATE hosts SET expires_at = ?1 + lease_ms
    WHERE incarnation = ?2 AND expires_at > ?1`;
  const alive = connection.run(sql, now, incarnation) === 1;
  connection.atBoundary?.("lease extended");
  return alive;
}

export function closeHost(connection: Connection, incarnation: string): void {
  connection.run("UPDATE workflows SET owner = NULL WHERE owner = ?", incarnation);
  connection.atBoundary?.("workflows let go");
  connection.run("DELETE FROM hosts WHERE incarnation = ?", incarnation);
  connection.atBoundary?.("host closed");
}

export function release(
  connection: Connection,
  incarnation: string,
  { workflow, epoch }: Owned,
): void {
  const sql = "UPDATE workflows SET owner = NULL WHERE id = ? AND owner = ? AND epoch = ?";
  connection.run(sql, workflow, incarnation, epoch);
  connection.atBoundary?.("workflow released");
}

export function claim(
  connection: Connection,
  by: { readonly incarnation: string; readonly limit: number },
  moment: LeaseMoment,
): ClaimAnswer {
  const { incarnation, limit } = by;
  const living = "SELECT 1 FROM hosts WHERE incarnation = ? AND expires_at > ?";
  if (connection.row(living, incarnation, moment.now) === undefined) {
    return { claims: [], tooNew: [] };
  }
  const claims = findDue(connection, moment, { known: true, limit }).map(
    ({ workflow, epoch, unclean }): Claim => {
      connection.run(take, incarnation, workflow);
      connection.atBoundary?.("workflow taken");
      return { workflow, epoch: epoch + 1, unclean };
    },
  );
  const tooNew = findDue(connection, moment, { known: false, limit });
  return { claims, tooNew: tooNew.map(({ workflow }) => workflow) };
}

/** Null = somebody has it, or this program cannot read it. */
export function claimOne(
  connection: Connection,
  by: { readonly incarnation: string; readonly workflow: string },
  { now, knownFactVersion }: LeaseMoment,
): Claim | null {
  const { incarnation, workflow } = by;
  const free = `SELECT epoch, unclean_since IS NOT NULL FROM workflows
    WHERE id = ?1 AND owner IS NULL AND fact_version <= ?2
      AND EXISTS (SELECT 1 FROM hosts WHERE incarnation = ?3 AND expires_at > ?4)`;
  const found = connection.row(free, workflow, knownFactVersion, incarnation, now);
  if (found === undefined) return null;
  connection.run(take, incarnation, workflow);
  connection.atBoundary?.("workflow taken");
  return { workflow, epoch: Number(found[0]) + 1, unclean: found[1] === 1 };
}

/** The first `limit` of all ways together, longest overdue first, each workflow once. */
function findDue(
  connection: Connection,
  { now, knownFactVersion }: LeaseMoment,
  { known, limit }: { readonly known: boolean; readonly limit: number },
): readonly Due[] {
  const found = new Map<string, Due>();
  for (const sql of [dueByTime, dueByInbox, dueByDeath, dueByDeathBefore]) {
    for (const row of connection.rows(sql, now, knownFactVersion, known ? 1 : 0, limit)) {
      const [id, epoch, isUnclean, since] = row;
      const due: Due = {
        workflow: String(id),
        epoch: Number(epoch),
        unclean: isUnclean === 1,
        since: Number(since),
      };
      const other = found.get(due.workflow);
      if (other === undefined || due.since < other.since) found.set(due.workflow, due);
    }
  }
  const inOrder = (one: Due, other: Due) =>
    one.since - other.since || compareText(one.workflow, other.workflow);
  return [...found.values()].sort(inOrder).slice(0, limit);
}

/** Leaves out what is too new for this program: it could not claim it and would never rest. */
export function nextDueAt(connection: Connection, moment: LeaseMoment): Instant | null {
  const { now, knownFactVersion } = moment;
  const conditions = `${unowned} AND fact_version <= ?2`;
  const byTime = `SELECT due_at FROM workflows WHERE due_at IS NOT NULL AND ${conditions}
    ORDER BY due_at LIMIT 1`;
  const byInbox = `SELECT min(${waitsSince}) FROM workflows
    WHERE inbox_tail > coalesce(inbox_through, 0) AND ${conditions}`;
  const byDeath = `SELECT min(coalesce(expires_at, 0)) FROM workflows
    LEFT JOIN hosts ON incarnation = owner WHERE owner IS NOT NULL AND ${conditions}`;
  const byDeathBefore = `SELECT min(unclean_since) FROM workflows
    WHERE unclean_since IS NOT NULL AND ${conditions}`;
  const times = [byTime, byInbox, byDeath, byDeathBefore]
    .map((sql) => connection.row(sql, now, knownFactVersion)?.[0])
    .filter((time) => typeof time === "number");
  return times.length === 0 ? null : Math.min(...times);
}

export function takeCensus(connection: Connection, moment: LeaseMoment): Census {
  const [hosts, owned] =
    connection.row(
      `SELECT (SELECT count(*) FROM hosts WHERE expires_at > ?1),
        (SELECT count(*) FROM workflows WHERE owner IS NOT NULL AND NOT ${unowned})`,
      moment.now,
    ) ?? [];
  const waiting = findDue(connection, moment, { known: true, limit: waitingCountMax });
  return { hosts: Number(hosts), owned: Number(owned), waiting: waiting.length };
}
