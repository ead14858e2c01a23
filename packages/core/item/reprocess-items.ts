import { type Draft, type Rule, refuse } from "../journal/decision.ts";
import type { Refusal } from "../journal/refusal.ts";
import { admitSize } from "../policy/admit.ts";
import { itemNamed } from "./find-items.ts";
import { goOnWithItem, letGoOfCall } from "./go-on-with-item.ts";

export type ReprocessItems = {
  readonly kind: "reprocess_items";
  readonly itemIds: readonly string[];
  readonly actor: string;
};

/** New attempts: none dedupes against an older one, and the older ones stay on record. */
export const reprocessItems: Rule<ReprocessItems> = (draft, { itemIds, actor }) => {
  const chosen = [...new Set(itemIds)];
  if (chosen.length === 0) return refuse("item_not_found", "No item is named.");
  const { reservationsMax } = draft.view.policy;
  const tooMany = admitSize("items at once", chosen.length, reservationsMax);
  if (tooMany) return tooMany;
  for (const itemId of chosen) {
    const bad = reprocess(draft, itemId, actor);
    if (bad) return { ...bad, note: `${itemId}: ${bad.note}` };
  }
  return null;
};

function reprocess(draft: Draft, itemId: string, actor: string): Refusal | null {
  const item = itemNamed(draft, itemId);
  if ("code" in item) return item;
  const said = { actor, answer: "reprocess" };
  const bad = letGoOfCall(draft, item, said);
  if (bad) return bad;
  const status = item.status === "processing" ? null : "processing";
  draft.emit({ kind: "item_reopened", itemId, attempt: item.attempt + 1, status, actor });
  goOnWithItem(draft, itemId, said);
  return null;
}
