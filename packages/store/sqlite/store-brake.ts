import type { Instant, StoreBrake, StoreBrakeTurn, TurnedStoreBrake } from "@holdfast/core";
import { requireBytes } from "../columns.ts";
import { requireHeading } from "../store-errors.ts";
import type { Connection } from "./connection.ts";
import { appendCommand } from "./inbox.ts";

const keepTurn = `
INSERT INTO store_brake (only_row, is_on, reason, turn_key, command_id, actor, kind, body, at)
VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (only_row) DO UPDATE
SET is_on = ?1, reason = ?2, turn_key = ?3, command_id = ?4, actor = ?5, kind = ?6, body = ?7,
  at = ?8`;

/** Runs inside a write. */
export function turnStoreBrake(
  connection: Connection,
  { isOn, reason, key, command }: StoreBrakeTurn,
): TurnedStoreBrake {
  const { commandId, actor, kind, body, at } = command;
  requireHeading({ ...command, workflow: "all" });
  const last = connection.row("SELECT is_on, turn_key, command_id FROM store_brake");
  const isSame = last?.[1] === key;
  if (isSame || (isOn && last?.[0] === 1)) {
    return { commandId: String(last?.[2]), changed: isSame };
  }
  connection.run(keepTurn, isOn ? 1 : 0, reason, key, commandId, actor, kind, body, at);
  return { commandId, changed: true };
}

/** Runs inside a write: the turn that is in force then. */
export function tellOfStoreBrake(connection: Connection, workflow: string, now: Instant): void {
  const row = connection.row("SELECT command_id, actor, kind, body, at FROM store_brake");
  if (row === undefined) return;
  const [commandId, actor, kind, bytes, at] = row;
  const heading = { commandId: String(commandId), actor: String(actor), kind: String(kind) };
  const body = requireBytes(bytes, "store_brake.body");
  appendCommand(connection, { ...heading, workflow, body, at: Number(at) }, now);
}

export function findStoreBrake(connection: Connection): StoreBrake | null {
  const row = connection.row("SELECT actor, at, reason FROM store_brake WHERE is_on = 1");
  if (row === undefined) return null;
  const [setBy, setAt, reason] = row;
  return { setBy: String(setBy), setAt: Number(setAt), reason: String(reason) };
}
