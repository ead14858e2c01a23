import { type EventRow, keyText, type Peek } from "@holdfast/core";
import { giveRow } from "./stored-value.ts";
import type { WorkflowState } from "./workflow-state.ts";

export function peek(state: WorkflowState, topic: string, limit: number): Peek {
  const { pending, reserved } = state.indexes;
  const unsettled = [pending, reserved].flatMap((index) => index.get(topic)?.first() ?? []);
  return {
    events: pendingEvents(state, topic, limit),
    settledBelow:
      unsettled.length === 0 ? null : Math.min(...unsettled.map(({ position }) => position)),
  };
}

export function oldestPending(state: WorkflowState, topic: string): EventRow | null {
  return pendingEvents(state, topic, 1)[0] ?? null;
}

function pendingEvents(state: WorkflowState, topic: string, limit: number): EventRow[] {
  const events: EventRow[] = [];
  for (const { messageId } of state.indexes.pending.get(topic)?.places() ?? []) {
    if (events.length >= limit) break;
    const row = state.tables.events.get(keyText([topic, messageId]));
    if (row !== undefined) events.push(giveRow("events", row));
  }
  return events;
}
