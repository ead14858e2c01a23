import type { Draft } from "../journal/decision.ts";
import type { MutationRow } from "../view/rows.ts";
import type { ItemRow } from "./item-row.ts";

function itemOf(draft: Draft, { itemId }: MutationRow): ItemRow | null {
  return itemId === null ? null : draft.view.load("items", itemId);
}

/** Nobody can find out: a person is asked, and the item waits for them. */
export function questionItem(draft: Draft, mutation: MutationRow): void {
  const item = itemOf(draft, mutation);
  if (item === null) return;
  const { itemId } = item;
  draft.emit({ kind: "item_questioned", itemId, mutationId: mutation.mutationId });
}

/** The question is answered; the same attempt goes on. */
export function answerItem(draft: Draft, mutation: MutationRow, actor: string): void {
  const item = itemOf(draft, mutation);
  if (item?.status !== "needs_attention") return;
  const { itemId, attempt } = item;
  draft.emit({ kind: "item_reopened", itemId, attempt, status: "processing", actor });
}

/** The call is given up on, and with it the item. */
export function giveUpItem(draft: Draft, mutation: MutationRow, actor: string): void {
  const item = itemOf(draft, mutation);
  if (item === null || item.status === "skipped") return;
  const { itemId } = item;
  if (item.status === "processing") draft.emit({ kind: "item_failed", itemId });
  draft.emit({ kind: "item_skipped", itemId, actor });
}
