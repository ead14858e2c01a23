import type { ProjectionsOf } from "../journal/projection.ts";
import type { JournalRecord } from "../journal/record.ts";
import type { EventRef } from "../topic/topic-facts.ts";
import { deleteRow, insertRow, type RowChange, updateRow } from "../view/row-change.ts";
import type { WorkflowRow } from "../view/rows.ts";
import type { FrameFact, MachineFrameCommitted, MachineInputReceived } from "./frame-facts.ts";

export const projectFrame: ProjectionsOf<FrameFact> = {
  machine_input_received: ({ inputKind, body }, { seq }) => inputRows({ inputKind, body }, seq),
  machine_frame_committed: frameRows,
  cell_holds_events: ({ attentionId, events }) =>
    events.flatMap((event) => useRows(event, attentionId)),
};

/** What machines made of an event, as a row; undefined = of none that is known. */
export function useRows(event: EventRef | undefined, usedBy: string): RowChange[] {
  if (event === undefined) return [];
  const { topic, messageId } = event;
  return [insertRow("event_uses", { topic, messageId, usedBy })];
}

/** The input, and the mark that says that there is one. */
export function inputRows(
  { inputKind: kind, body }: Pick<MachineInputReceived, "inputKind" | "body">,
  seq: number,
): RowChange[] {
  return [
    insertRow("machine_inputs", { position: seq, kind, body }),
    updateRow("workflows", [], { machineInputSeq: seq }),
  ];
}

function frameRows(fact: MachineFrameCommitted, { seq }: JournalRecord): RowChange[] {
  const { frame, served, dueAt, older, begun } = fact;
  const last = served.at(-1);
  const set: Partial<WorkflowRow> = { machineDueAt: dueAt, machineTurns: begun ?? 0 };
  if (frame !== null) set.machineSeq = frame.lastSeq;
  if (last !== undefined) set.machineThrough = last;
  if (older !== undefined) set.restoredMachineSeq = older.through;
  return [
    ...(frame === null ? [] : [insertRow("machine_frames", { ...frame, seq })]),
    ...served.map((position) => deleteRow("machine_inputs", [position])),
    updateRow("workflows", [], set),
    ...(older?.added ?? []).map((mark) => insertRow("older_cells", { mark })),
    ...(older?.removed ?? []).map((mark) => deleteRow("older_cells", [mark])),
  ];
}
