import { closeAttentions } from "../attention/attend.ts";
import { type Rule, refuse } from "../journal/decision.ts";
import { itemNamed } from "./find-items.ts";
import { goOnWithItem } from "./go-on-with-item.ts";

export type AcceptPayload = {
  readonly kind: "accept_payload";
  readonly itemId: string;
  /** Of the other bytes that the person was shown. */
  readonly payloadHash: string;
  readonly actor: string;
};

/** A person's word that these other bytes count as the ones that were applied. */
export const acceptPayload: Rule<AcceptPayload> = (draft, { itemId, payloadHash, actor }) => {
  const item = itemNamed(draft, itemId);
  if ("code" in item) return item;
  const { mutationId, attempt } = item;
  const mutation = mutationId === null ? null : draft.view.find("mutations", mutationId);
  if (mutationId === null || mutation?.state !== "applied") return refuse("payload_not_questioned");
  const { proposed } = mutation;
  if (proposed === null) return refuse("payload_not_questioned");
  if (proposed.hash !== payloadHash) {
    return refuse("payload_differs", `Asked for is ${proposed.hash}; accepted was ${payloadHash}.`);
  }
  draft.emit({ kind: "payload_accepted", mutationId, payloadHash, actor });
  draft.emit({ kind: "item_reopened", itemId, attempt, status: "processing", actor });
  closeAttentions(draft, mutationId, { actor, answer: "accept_cached" });
  goOnWithItem(draft, itemId, { actor, answer: "accept_cached" });
  return null;
};
