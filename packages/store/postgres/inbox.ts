import {
  type Command,
  type CommandReceipt,
  type InboxEntry,
  invariant,
  type VerdictRow,
} from "@holdfast/core";
import { type SqlValue, tableCodecs } from "../columns.ts";
import { reusedCommandId } from "../store-errors.ts";
import type { Database } from "./connection.ts";
import { columnList, plainBytes } from "./found-row.ts";
import { requireWorkflow, rowsOfWorkflow } from "./load.ts";

const append = "SELECT * FROM holdfast.append_1($1, $2, $3, $4, $5, $6, $7, $8)";

export async function appendCommand(
  database: Database,
  store: string,
  command: Command,
): Promise<CommandReceipt> {
  const { workflow, commandId, actor, kind, body, at } = command;
  const values = [store, workflow, commandId, actor, kind, Buffer.from(body), at, database.now()];
  const statement = { name: "append command", sql: append, values } as const;
  const [row] = await rowsOfWorkflow(database, workflow, statement);
  invariant(row !== undefined, "append_1 answers with one row");
  const [position, duplicate, same] = row;
  if (same !== true) throw reusedCommandId(command, Number(position));
  if (duplicate !== true) return { position: Number(position), duplicate: false, verdict: null };
  const verdict = await findVerdict(database, workflow, commandId);
  return { position: Number(position), duplicate: true, verdict };
}

const waiting = `
SELECT position, command_id, actor, kind, body, at FROM holdfast.read_inbox_1($1, $2)`;

export async function readInbox(
  database: Database,
  workflow: string,
  limit: number,
): Promise<readonly InboxEntry[]> {
  const statement = { name: "read inbox", sql: waiting, values: [workflow, limit] } as const;
  const rows = await rowsOfWorkflow(database, workflow, statement);
  return rows.map(([position, commandId, actor, kind, body, at]) => {
    invariant(body instanceof Uint8Array, "commands.body is bytes");
    return {
      commandId: String(commandId),
      workflow,
      actor: String(actor),
      kind: String(kind),
      body: plainBytes(body),
      at: Number(at),
      position: Number(position),
    };
  });
}

const verdictOf = `
SELECT ${columnList("verdicts")} FROM holdfast.verdicts WHERE workflow = $1 AND command_id = $2`;

export async function findVerdict(
  database: Database,
  workflow: string,
  commandId: string,
): Promise<VerdictRow | null> {
  const row = await database.row("find verdict", verdictOf, [workflow, commandId]);
  if (row !== undefined) return tableCodecs.verdicts.decodeRow(row as readonly SqlValue[]);
  await requireWorkflow(database, "find verdict", workflow);
  return null;
}
