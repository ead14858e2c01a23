import { letHeldRunGoOn } from "../attention/brake-question.ts";
import { type Rule, refuse } from "../journal/decision.ts";
import { openRestoreQuestion } from "./restore-point.ts";

export type ContinueRestored = {
  readonly kind: "continue_restored";
  readonly attentionId: string;
  readonly actor: string;
};

/**
 * A person has looked. What came in until now is behind the restore point: a producer may have
 * found it for the second time. A brake that a person had set stays.
 */
export const continueRestored: Rule<ContinueRestored> = (draft, { attentionId, actor }) => {
  if (openRestoreQuestion(draft.view)?.attentionId !== attentionId) {
    return refuse("attention_not_found");
  }
  const behind = draft.view.load("workflows").behindRestore ?? [];
  draft.emit({ kind: "restore_point_moved", through: draft.nextSeq, behind });
  draft.emit({ kind: "attention_closed", attentionId, actor, answer: "continue" });
  if (draft.view.find("brakes", "*")?.setBy === "host") {
    draft.emit({ kind: "brake_released", operation: "*", actor });
    letHeldRunGoOn(draft);
  }
  return null;
};
