import { type Rule, refuse } from "../journal/decision.ts";
import { openRestoreQuestion } from "../restore/restore-point.ts";
import { letHeldRunGoOn } from "./brake-question.ts";

export type ReleaseBrake = {
  readonly kind: "release_brake";
  readonly operation: string;
  readonly actor: string;
};

export const releaseBrake: Rule<ReleaseBrake> = (draft, { operation, actor }) => {
  if (!draft.view.find("brakes", operation)) return refuse("brake_is_off");
  if (operation === "*" && openRestoreQuestion(draft.view)) return refuse("restore_not_answered");
  draft.emit({ kind: "brake_released", operation, actor });
  letHeldRunGoOn(draft);
  return null;
};
