import { insertRow, type RowChange, updateRow } from "@holdfast/core";
import { eventRow, mutationInputRow, mutationRow, reservationRow, runRow } from "./row-builder.ts";

/** A run takes a pending event: reservation first, then the event, as the constraints want it. */
export function reserve(runId: string, messageId: string): readonly RowChange[] {
  return [
    insertRow("reservations", reservationRow(runId, messageId)),
    updateRow("events", ["orders", messageId], { status: "reserved", reservedBy: runId }),
  ];
}

/** An open run that holds one reserved event, with a mutation behind it in the ledger. */
export function runBehindMutation(runId: string, messageId: string): readonly RowChange[] {
  return [
    insertRow("events", eventRow(messageId)),
    insertRow("runs", runRow(runId)),
    ...reserve(runId, messageId),
    insertRow("mutations", mutationRow("mutation-1", { runId })),
    insertRow("mutation_inputs", mutationInputRow(messageId)),
  ];
}
