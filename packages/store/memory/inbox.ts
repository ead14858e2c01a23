import type { Command, CommandReceipt, InboxEntry, Instant, VerdictRow } from "@holdfast/core";
import { reusedCommandId } from "../store-errors.ts";
import { copyBytes, giveRow } from "./stored-value.ts";
import { inboxThrough, type StoredCommand, type WorkflowState } from "./workflow-state.ts";

export function appendCommand(
  state: WorkflowState,
  command: Command,
  now: Instant,
): CommandReceipt {
  const known = state.commandsById.get(command.commandId);
  if (known !== undefined) {
    if (!isSameCommand(known.entry, command)) throw reusedCommandId(command, known.entry.position);
    const verdict = findVerdict(state, command.commandId);
    return { position: known.entry.position, duplicate: true, verdict };
  }
  const position = state.inbox.length + 1;
  const stored: StoredCommand = { entry: copyEntry({ ...command, position }), appendedAt: now };
  state.inbox.push(stored);
  state.commandsById.set(command.commandId, stored);
  return { position, duplicate: false, verdict: null };
}

/** Who asks, and when, may differ: a repeated call is still the same command. */
function isSameCommand(known: Command, command: Command): boolean {
  return (
    known.kind === command.kind &&
    known.body.length === command.body.length &&
    known.body.every((byte, index) => byte === command.body[index])
  );
}

export function readInbox(state: WorkflowState, limit: number): readonly InboxEntry[] {
  const through = inboxThrough(state);
  return state.inbox.slice(through, through + limit).map((stored) => copyEntry(stored.entry));
}

/** When the oldest command without a verdict came, never later than now; null = none waits. */
export function waitingSince(state: WorkflowState, now: Instant): Instant | null {
  const waiting = state.inbox[inboxThrough(state)];
  return waiting === undefined ? null : Math.min(waiting.appendedAt, now);
}

export function findVerdict(state: WorkflowState, commandId: string): VerdictRow | null {
  const row = state.tables.verdicts.get(commandId);
  return row === undefined ? null : giveRow("verdicts", row);
}

function copyEntry(entry: InboxEntry): InboxEntry {
  const { commandId, workflow, actor, kind, body, at, position } = entry;
  return Object.freeze({ commandId, workflow, actor, kind, body: copyBytes(body), at, position });
}
