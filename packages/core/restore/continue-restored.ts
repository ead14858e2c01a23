import { letHeldRunGoOn } from "../attention/brake-question.ts";
import { type Rule, refuse } from "../journal/decision.ts";
import type { View } from "../view/view.ts";
import { catchUp, openRestoreQuestion } from "./restore-point.ts";

export type ContinueRestored = {
  readonly kind: "continue_restored";
  readonly attentionId: string;
  readonly actor: string;
};

/**
 * A person has looked: what came in until now is behind the restore point, because a producer may
 * have found it for the second time. A brake that a person had set stays. Or they say of one
 * producer that it has caught up.
 */
export const continueRestored: Rule<ContinueRestored> = (draft, { attentionId, actor }) => {
  const answer = "continue";
  const producer = producerAskedAbout(draft.view, attentionId);
  if (producer !== null) {
    catchUp(draft, producer, { actor, answer });
    return null;
  }
  if (openRestoreQuestion(draft.view)?.attentionId !== attentionId) {
    return refuse("attention_not_found");
  }
  const behind = draft.view.load("workflows").behindRestore ?? [];
  draft.emit({ kind: "restore_point_moved", through: draft.nextSeq, behind });
  draft.emit({ kind: "attention_closed", attentionId, actor, answer });
  if (draft.view.find("brakes", "*")?.setBy === "host") {
    draft.emit({ kind: "brake_released", operation: "*", actor });
    letHeldRunGoOn(draft);
  }
  return null;
};

function producerAskedAbout(view: View, attentionId: string): string | null {
  const behind = view.find("workflows")?.behindRestore ?? [];
  const isMeant = (name: string) => openRestoreQuestion(view, name)?.attentionId === attentionId;
  return behind.find(isMeant) ?? null;
}
