import { type Rule, refuse } from "../journal/decision.ts";
import { itemNamed } from "./find-items.ts";
import { goOnWithItem, letGoOfCall } from "./go-on-with-item.ts";

export type SkipItem = {
  readonly kind: "skip_item";
  readonly itemId: string;
  readonly actor: string;
};

/** A person gives up on the item. What it has changed outside stays changed. */
export const skipItem: Rule<SkipItem> = (draft, { itemId, actor }) => {
  const item = itemNamed(draft, itemId);
  if ("code" in item) return item;
  if (item.status === "done") return refuse("item_is_done", `Item ${itemId} is done.`);
  if (item.status === "skipped") return refuse("item_already_skipped");
  const said = { actor, answer: "skip" };
  const bad = letGoOfCall(draft, item, said);
  if (bad) return bad;
  // A call that waited may be all that is wrong with it.
  if (item.status === "processing") draft.emit({ kind: "item_failed", itemId });
  draft.emit({ kind: "item_skipped", itemId, actor });
  goOnWithItem(draft, itemId, said);
  return null;
};
