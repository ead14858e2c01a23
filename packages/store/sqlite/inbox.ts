import type { Command, CommandReceipt, InboxEntry, Instant, VerdictRow } from "@holdfast/core";
import { requireBytes, type SqlValue, tableCodecs } from "../columns.ts";
import { reusedCommandId, unknownWorkflow } from "../store-errors.ts";
import { type Connection, limitTo } from "./connection.ts";
import { requireWorkflow } from "./load.ts";
import { columnList } from "./row-statements.ts";

const findCommand = `
SELECT position, kind, body FROM commands WHERE workflow = ? AND command_id = ?`;

const advanceTail = `
UPDATE workflows SET inbox_tail = inbox_tail + 1 WHERE id = ? RETURNING inbox_tail`;

const insertCommand = `
INSERT INTO commands (workflow, position, command_id, actor, kind, body, at, appended_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;

/** Runs inside a write: either the tail moves and the command is there, or neither. */
export function appendCommand(
  connection: Connection,
  command: Command,
  now: Instant,
): CommandReceipt {
  const { workflow, commandId, actor, kind, body, at } = command;
  const known = connection.row(findCommand, workflow, commandId);
  if (known !== undefined) return repeatCommand(connection, command, known);
  const [position] = connection.row(advanceTail, workflow) ?? [];
  if (typeof position !== "number") throw unknownWorkflow(workflow);
  connection.atBoundary?.("inbox tail moved");
  connection.run(insertCommand, workflow, position, commandId, actor, kind, body, at, now);
  connection.atBoundary?.("command written");
  return { position, duplicate: false, verdict: null };
}

function repeatCommand(
  connection: Connection,
  { workflow, commandId, kind, body }: Command,
  [position, knownKind, knownBody]: readonly SqlValue[],
): CommandReceipt {
  if (kind !== knownKind || !equalBytes(body, requireBytes(knownBody, "commands.body"))) {
    throw reusedCommandId({ workflow, commandId }, Number(position));
  }
  const verdict = findVerdict(connection, workflow, commandId);
  return { position: Number(position), duplicate: true, verdict };
}

function equalBytes(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}

/** Asked by every turn of every owner, and nearly always answered with no. */
const hasWaiting = `SELECT inbox_tail > coalesce(inbox_through, 0) FROM workflows WHERE id = ?`;

const waitingCommands = `
SELECT position, command_id, actor, kind, body, at FROM commands
WHERE workflow = ?1 AND position > coalesce((
  SELECT inbox_through FROM workflows WHERE id = ?1), 0)
ORDER BY position ${limitTo("?2")}`;

export function readInbox(
  connection: Connection,
  workflow: string,
  limit: number,
): readonly InboxEntry[] {
  const row = connection.row(hasWaiting, workflow);
  if (row === undefined) throw unknownWorkflow(workflow);
  if (row[0] === 0) return [];
  return connection
    .rows(waitingCommands, workflow, limit)
    .map(([position, commandId, actor, kind, body, at]) => ({
      commandId: String(commandId),
      workflow,
      actor: String(actor),
      kind: String(kind),
      body: requireBytes(body, "commands.body"),
      at: Number(at),
      position: Number(position),
    }));
}

const verdictOf = `
SELECT ${columnList("verdicts")} FROM verdicts WHERE workflow = ? AND command_id = ?`;

export function findVerdict(
  connection: Connection,
  workflow: string,
  commandId: string,
): VerdictRow | null {
  const row = connection.row(verdictOf, workflow, commandId);
  if (row !== undefined) return tableCodecs.verdicts.decodeRow(row);
  requireWorkflow(connection, workflow);
  return null;
}
