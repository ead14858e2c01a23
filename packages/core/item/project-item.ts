import type { ProjectionsOf } from "../journal/projection.ts";
import type { JournalRecord } from "../journal/record.ts";
import { insertRow, type RowChange, updateRow } from "../view/row-change.ts";
import type { ItemEntered, ItemFact } from "./item-facts.ts";
import type { ItemRow } from "./item-row.ts";

export const projectItem: ProjectionsOf<ItemFact> = {
  item_entered: enteredRows,
  item_left: (fact) => [updateRow("runs", [fact.runId], { itemId: null })],
  item_completed: (fact, record) => [
    touch(fact.itemId, record, { status: "done" }),
    updateRow("runs", [fact.runId], { itemId: null }),
    ...(fact.forgetsCrashes ? [updateRow("handlers", [fact.handler], { crashCount: 0 })] : []),
  ],
  item_failed: (fact, record) => [touch(fact.itemId, record, { status: "failed" })],
  item_questioned: ({ itemId, mutationId }, record) => [
    touch(itemId, record, { status: "needs_attention", mutationId }),
  ],
  item_reopened: ({ itemId, attempt, status }, record) => [
    touch(itemId, record, { attempt, mutationId: null, ...named(status) }),
  ],
  item_skipped: (fact, record) => [
    touch(fact.itemId, record, { status: "skipped", mutationId: null }),
  ],
  items_freshened: (fact, { seq }) =>
    fact.handlers.map((name) => updateRow("handlers", [name], { freshFrom: seq })),
  payload_questioned: ({ mutationId, proposed }) => [
    updateRow("mutations", [mutationId], { proposed }),
  ],
  payload_accepted: ({ mutationId, payloadHash }) => [
    updateRow("mutations", [mutationId], { acceptedHash: payloadHash }),
  ],
};

function touch(itemId: string, record: JournalRecord, set: Partial<ItemRow>): RowChange {
  const { seq, at } = record;
  return updateRow("items", [itemId], { ...set, touchedSeq: seq, updatedAt: at });
}

/** To name a status is to take an edge. */
function named(status: "processing" | null): { status?: "processing" } {
  return status === null ? {} : { status };
}

function enteredRows(fact: ItemEntered, record: JournalRecord): RowChange[] {
  const { itemId, runId, handler, title, attempt } = fact;
  const inItem = updateRow("runs", [runId], { itemId });
  if (fact.how === "new") return [insertRow("items", newItem(fact, record)), inItem];
  const anew = fact.how === "anew" ? { attempt, mutationId: null, ...named(fact.status) } : {};
  return [touch(itemId, record, { handler, title, lastRunId: runId, ...anew }), inItem];
}

function newItem(fact: ItemEntered, { seq, at }: JournalRecord): ItemRow {
  const { itemId, runId, handler, title, attempt, older } = fact;
  return {
    itemId,
    handler,
    title,
    status: "processing",
    attempt,
    position: seq,
    touchedSeq: seq,
    createdBy: runId,
    lastRunId: runId,
    mutationId: null,
    older,
    createdAt: at,
    updatedAt: at,
  };
}
