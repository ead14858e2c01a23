import { type Draft, refuse } from "../journal/decision.ts";
import type { Refusal } from "../journal/refusal.ts";
import { findOpenRun } from "../run/find-runs.ts";
import type { RunRow } from "../view/rows.ts";
import type { View } from "../view/view.ts";
import type { ItemRow } from "./item-row.ts";

/** No mutation is allowed any more, until a person orders a new attempt. */
export function isDone({ status }: ItemRow): boolean {
  return status === "done" || status === "skipped";
}

/** A person wanted to start fresh after the item was last touched. */
export function isStale(view: View, item: ItemRow): boolean {
  const freshFrom = view.find("handlers", item.handler)?.freshFrom ?? null;
  return freshFrom !== null && item.touchedSeq < freshFrom;
}

/** The item that the run is in; null = none. */
export function itemOfRun(view: View, { runId }: RunRow): ItemRow | null {
  const { itemId } = view.load("runs", runId);
  return itemId === null ? null : view.find("items", itemId);
}

/** The open run, if it stopped in this item; null = nobody is in it. */
export function runInItem(view: View, itemId: string): RunRow | null {
  const run = findOpenRun(view);
  return run?.itemId === itemId ? run : null;
}

/** What interrupts the handler of an item that is being worked on leaves it failed. */
export function failItem(draft: Draft, run: RunRow): void {
  const item = itemOfRun(draft.view, run);
  if (item?.status !== "processing") return;
  draft.emit({ kind: "item_failed", itemId: item.itemId });
}

export function itemNamed(draft: Draft, itemId: string): ItemRow | Refusal {
  return (
    draft.view.find("items", itemId) ?? refuse("item_not_found", `There is no item ${itemId}.`)
  );
}
