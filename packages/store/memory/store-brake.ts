import type { Instant, StoreBrake, StoreBrakeTurn, TurnedStoreBrake } from "@holdfast/core";
import { requireHeading } from "../store-errors.ts";
import { appendCommand } from "./inbox.ts";
import type { WorkflowState } from "./workflow-state.ts";

/** Null = it was never turned. */
export type KeptBrake = { last: StoreBrakeTurn | null };

export function turnStoreBrake(brake: KeptBrake, turn: StoreBrakeTurn): TurnedStoreBrake {
  requireHeading({ ...turn.command, workflow: "all" });
  const { last } = brake;
  const isSame = last?.key === turn.key;
  if (last !== null && (isSame || (turn.isOn && last.isOn))) {
    return { commandId: last.command.commandId, changed: isSame };
  }
  brake.last = turn;
  return { commandId: turn.command.commandId, changed: true };
}

/** Of the turn that is in force now. */
export function tellOfStoreBrake({ last }: KeptBrake, state: WorkflowState, now: Instant): void {
  if (last === null) return;
  appendCommand(state, { ...last.command, workflow: state.workflow }, now);
}

export function findStoreBrake({ last }: KeptBrake): StoreBrake | null {
  if (last === null || !last.isOn) return null;
  return { setBy: last.command.actor, setAt: last.command.at, reason: last.reason };
}
