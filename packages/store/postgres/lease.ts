import {
  type Census,
  type Claim,
  type ClaimAnswer,
  type Instant,
  invariant,
  type Owned,
  waitingCountMax,
} from "@holdfast/core";
import { takenHost } from "../store-errors.ts";
import type { Database } from "./connection.ts";

/** Which store the statements are for; what this program can read. */
export type LeaseContext = {
  readonly database: Database;
  readonly store: string;
  readonly knownFactVersion: number;
};

export async function openHost(
  { database, store }: LeaseContext,
  { incarnation, leaseMs }: { readonly incarnation: string; readonly leaseMs: number },
): Promise<void> {
  const sql = "SELECT holdfast.open_host_1($1, $2, $3, $4)";
  const values = [store, incarnation, leaseMs, database.now()];
  const [opened] = (await database.row("open host", sql, values)) ?? [];
  if (opened !== true) throw takenHost(incarnation);
}

export async function heartbeat(
  { database, store }: LeaseContext,
  incarnation: string,
): Promise<boolean> {
  const sql = "SELECT holdfast.heartbeat_1($1, $2, $3)";
  const [alive] =
    (await database.row("heartbeat", sql, [store, incarnation, database.now()])) ?? [];
  return alive === true;
}

export async function closeHost(
  { database, store }: LeaseContext,
  incarnation: string,
): Promise<void> {
  await database.row("close host", "SELECT holdfast.close_host_1($1, $2)", [store, incarnation]);
}

export async function release(
  { database, store }: LeaseContext,
  incarnation: string,
  { workflow, epoch }: Owned,
): Promise<void> {
  const sql = "SELECT holdfast.release_1($1, $2, $3, $4)";
  await database.row("release", sql, [store, incarnation, workflow, epoch]);
}

export async function claim(
  { database, store, knownFactVersion }: LeaseContext,
  incarnation: string,
  limit: number,
): Promise<ClaimAnswer> {
  const sql = "SELECT * FROM holdfast.claim_1($1, $2, $3, $4, $5)";
  const values = [store, incarnation, knownFactVersion, limit, database.now()];
  const claims: Claim[] = [];
  const tooNew: string[] = [];
  for (const [workflow, epoch, unclean] of await database.rows("claim", sql, values)) {
    if (epoch === null) tooNew.push(String(workflow));
    else
      claims.push({
        workflow: String(workflow),
        epoch: Number(epoch),
        unclean: unclean === true,
      });
  }
  return { claims, tooNew };
}

/** Null = somebody has it, or this program cannot read it. */
export async function claimOne(
  { database, store, knownFactVersion }: LeaseContext,
  incarnation: string,
  workflow: string,
): Promise<Claim | null> {
  const sql = "SELECT * FROM holdfast.claim_one_1($1, $2, $3, $4, $5)";
  const values = [store, incarnation, workflow, knownFactVersion, database.now()];
  const [claimed] = await database.rows("claim one", sql, values);
  if (claimed === undefined) return null;
  const [epoch, unclean] = claimed;
  return { workflow, epoch: Number(epoch), unclean: unclean === true };
}

export async function nextDueAt({
  database,
  knownFactVersion,
}: LeaseContext): Promise<Instant | null> {
  const sql = "SELECT holdfast.next_due_at_1($1, $2)";
  const [at] = (await database.row("next due", sql, [knownFactVersion, database.now()])) ?? [];
  return typeof at === "number" ? at : null;
}

export async function census({ database, knownFactVersion }: LeaseContext): Promise<Census> {
  const sql = "SELECT hosts, owned, waiting FROM holdfast.census_1($1, $2, $3)";
  const values = [knownFactVersion, waitingCountMax, database.now()];
  const row = await database.row("census", sql, values);
  invariant(row !== undefined, "census_1 answers with one row");
  const [hosts, owned, waiting] = row.map(Number);
  invariant(hosts !== undefined && owned !== undefined && waiting !== undefined, "three counts");
  return { hosts, owned, waiting };
}
