import type { Command, CommandReceipt, InboxEntry, VerdictRow } from "@holdfast/core";
import { type SqlValue, tableCodecs } from "../columns.ts";
import type { Connection } from "./connection.ts";
import { hostError, unknownWorkflow } from "./errors.ts";
import { requireWorkflow } from "./load.ts";
import { columnList } from "./row-statements.ts";

const findCommand = `
SELECT position, kind, body FROM commands WHERE workflow = ? AND command_id = ?`;

const advanceTail = `
UPDATE workflows SET inbox_tail = inbox_tail + 1 WHERE id = ? RETURNING inbox_tail`;

const insertCommand = `
INSERT INTO commands (workflow, position, command_id, actor, kind, body, at)
VALUES (?, ?, ?, ?, ?, ?, ?)`;

/** Runs inside a write: either the tail moves and the command is there, or neither. */
export function appendCommand(connection: Connection, command: Command): CommandReceipt {
  const { workflow, commandId, actor, kind, body, at } = command;
  const known = connection.row(findCommand, workflow, commandId);
  if (known !== undefined) return repeatCommand(connection, command, known);
  const [position] = connection.row(advanceTail, workflow) ?? [];
  if (typeof position !== "number") throw unknownWorkflow(workflow);
  connection.atBoundary?.("inbox tail moved");
  connection.run(insertCommand, workflow, position, commandId, actor, kind, body, at);
  connection.atBoundary?.("command written");
  return { position, duplicate: false, verdict: null };
}

function repeatCommand(
  connection: Connection,
  { workflow, commandId, kind, body }: Command,
  [position, knownKind, knownBody]: readonly SqlValue[],
): CommandReceipt {
  if (kind !== knownKind || !(knownBody instanceof Uint8Array) || !equalBytes(body, knownBody)) {
    throw hostError("COMMAND_ID_REUSED", {
      what: `${workflow} has a command ${JSON.stringify(commandId)} of another kind or body.`,
      remedy: "Give each command its own id; repeat an id only with the very same command.",
      details: { workflow, commandId, position: Number(position) },
    });
  }
  const verdict = findVerdict(connection, workflow, commandId);
  return { position: Number(position), duplicate: true, verdict };
}

function equalBytes(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}

const waitingCommands = `
SELECT position, command_id, actor, kind, body, at FROM commands
WHERE workflow = ?1 AND position > coalesce((
  SELECT inbox_through FROM workflows WHERE id = ?1), 0)
ORDER BY position LIMIT ?2`;

export function readInbox(
  connection: Connection,
  workflow: string,
  limit: number,
): readonly InboxEntry[] {
  requireWorkflow(connection, workflow);
  return connection
    .rows(waitingCommands, workflow, limit)
    .map(([position, commandId, actor, kind, body, at]) => ({
      commandId: String(commandId),
      workflow,
      actor: String(actor),
      kind: String(kind),
      body: body instanceof Uint8Array ? body : new Uint8Array(),
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
  return row === undefined ? null : tableCodecs.verdicts.decodeRow(row);
}
