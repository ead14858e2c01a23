import { type Rule, refuse } from "../journal/decision.ts";
import { heldIntent } from "./held-intents.ts";
import { isAboutStale } from "./note-stale.ts";

export type Acknowledge = {
  readonly kind: "acknowledge";
  readonly attentionId: string;
  readonly actor: string;
};

/**
 * Closes a question that only wants to be seen. The brake it set stays until released. What waits
 * for a sign-in is tried again: there is no run that could be resumed.
 */
export const acknowledge: Rule<Acknowledge> = (draft, { attentionId, actor }) => {
  const row = draft.view.find("attentions", attentionId);
  const isOpen = row !== null && row.closedAt === null;
  if (isOpen && heldIntent(row)?.account != null) {
    draft.emit({ kind: "attention_closed", attentionId, actor, answer: "resume" });
    const { machineTurns: begun } = draft.view.load("workflows");
    const turn = { frame: null, served: [], refused: [], dueAt: draft.now };
    draft.emit({ kind: "machine_frame_committed", ...turn, ...(begun > 0 ? { begun } : {}) });
    return null;
  }
  const isOnlySeen = isOpen && (row.kind === "happened_after_all" || isAboutStale(row));
  if (!isOnlySeen) return refuse("attention_not_found");
  draft.emit({ kind: "attention_closed", attentionId, actor, answer: "acknowledge" });
  return null;
};
