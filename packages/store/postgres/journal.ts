import {
  type Changes,
  genesisHash,
  type Hash,
  invariant,
  type JournalEntry,
  type Seq,
  type WorkflowSummary,
} from "@holdfast/core";
import { unknownCursor } from "../store-errors.ts";
import type { Database } from "./connection.ts";
import { raised, stateOf, storeError } from "./errors.ts";
import { plainBytes } from "./found-row.ts";
import { requireWorkflow } from "./load.ts";

export async function createWorkflow(
  database: Database,
  store: string,
  workflow: string,
): Promise<{ readonly created: boolean }> {
  const sql = "SELECT holdfast.create_workflow_1($1, $2, $3)";
  const values = [store, workflow, genesisHash];
  const [created] = (await database.row("create workflow", sql, values)) ?? [];
  return { created: created === true };
}

const entries = `
SELECT seq, hash, bytes FROM holdfast.journal WHERE workflow = $1 AND seq > $2
ORDER BY seq LIMIT $3`;

export async function readJournal(
  database: Database,
  workflow: string,
  { after, limit }: { readonly after: Seq; readonly limit: number },
): Promise<readonly JournalEntry[]> {
  const rows = await database.rows("read journal", entries, [workflow, after, limit]);
  if (rows.length === 0) await requireWorkflow(database, "read journal", workflow);
  return rows.map(([seq, hash, bytes]) => {
    invariant(bytes instanceof Uint8Array, "journal.bytes is bytes");
    return { seq: Number(seq), hash: String(hash) as Hash, bytes: plainBytes(bytes) };
  });
}

const summaries = `
SELECT id, head, head_hash, head_at, epoch, owner, due_at, fact_version, inbox_tail
FROM holdfast.workflows WHERE $1::text IS NULL OR id > $1 ORDER BY id LIMIT $2`;

export async function listWorkflows(
  database: Database,
  after: string | null,
  limit: number,
): Promise<readonly WorkflowSummary[]> {
  const rows = await database.rows("list workflows", summaries, [after, limit]);
  return rows.map(([id, head, hash, at, epoch, owner, dueAt, factVersion, inboxTail]) => ({
    workflow: String(id),
    head: { seq: Number(head), hash: String(hash) as Hash, at: Number(at) },
    epoch: Number(epoch),
    owner: owner === null ? null : String(owner),
    dueAt: dueAt === null ? null : Number(dueAt),
    factVersion: Number(factVersion),
    inboxTail: Number(inboxTail),
  }));
}

/** No snapshot at all, or one of a moment yet to come. */
const notGivenOut: ReadonlySet<string> = new Set(["22P02", raised.unknownMoment]);

/** `<store> <snapshot>`: a cursor of another store must not pass for one of this. */
const cursorText = /^(\S+) (\d+:\d+:[\d,]*)$/;

export async function readChanges(
  database: Database,
  store: string,
  after: string | null,
): Promise<Changes> {
  const [, ofStore, snapshot = null] = cursorText.exec(after ?? "") ?? [];
  if (after !== null && ofStore !== store) throw unknownCursor(after);
  const sql = "SELECT * FROM holdfast.changes_1($1::pg_snapshot)";
  const [first, ...moved] = await database
    .send("read changes", sql, [snapshot])
    .catch((error: unknown) => {
      if (notGivenOut.has(stateOf(error) ?? "")) throw unknownCursor(after ?? "");
      throw storeError(error, { place: database.place, doing: "read changes" });
    });
  invariant(first !== undefined, "changes_1 begins with the moment");
  const changed = moved.map(([, workflow, head]) => {
    return { workflow: String(workflow), head: Number(head) };
  });
  return { changed, cursor: `${store} ${first[0]}` };
}
