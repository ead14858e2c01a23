import { type Rule, refuse } from "../journal/decision.ts";

export type ReleaseBrake = {
  readonly kind: "release_brake";
  readonly operation: string;
  readonly actor: string;
};

export const releaseBrake: Rule<ReleaseBrake> = (draft, { operation, actor }) => {
  if (!draft.view.find("brakes", operation)) return refuse("brake_is_off");
  draft.emit({ kind: "brake_released", operation, actor });
  return null;
};
