import {
  type Command,
  type CommandReceipt,
  HostError,
  type InboxEntry,
  type Instant,
  type VerdictRow,
} from "@holdfast/core";
import { copyBytes, giveRow } from "./stored-value.ts";
import { inboxThrough, type StoredCommand, type WorkflowState } from "./workflow-state.ts";

export function appendCommand(
  state: WorkflowState,
  command: Command,
  now: Instant,
): CommandReceipt {
  const known = state.commandsById.get(command.commandId);
  if (known !== undefined) {
    if (!isSameCommand(known.entry, command)) throw reused(command, known.entry.position);
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

/** Nothing was written: repeating the call is refused again, and does no harm. */
function reused({ commandId, workflow }: Command, position: number): HostError {
  return new HostError("COMMAND_ID_REUSED", {
    what: `${workflow} has a command ${JSON.stringify(commandId)} of another kind or body.`,
    remedy: "Give each command its own id; repeat an id only with the very same command.",
    retry: "safe",
    details: { workflow, commandId, position },
  });
}

export function readInbox(state: WorkflowState, limit: number): readonly InboxEntry[] {
  const through = inboxThrough(state);
  return state.inbox.slice(through, through + limit).map((stored) => copyEntry(stored.entry));
}

/** When the oldest command without a verdict came; null = none waits. */
export function waitingSince(state: WorkflowState): Instant | null {
  return state.inbox[inboxThrough(state)]?.appendedAt ?? null;
}

export function findVerdict(state: WorkflowState, commandId: string): VerdictRow | null {
  const row = state.tables.verdicts.get(commandId);
  return row === undefined ? null : giveRow("verdicts", row);
}

function copyEntry(entry: InboxEntry): InboxEntry {
  const { commandId, workflow, actor, kind, body, at, position } = entry;
  return Object.freeze({ commandId, workflow, actor, kind, body: copyBytes(body), at, position });
}
