import { type Rule, refuse } from "../journal/decision.ts";
import { admitId } from "../policy/admit.ts";

/** In the place of an operation: everything of one workflow. */
export const workflowBrake = "*";
/** Everything of every workflow: each has it, set and released together. */
export const everyBrake = "**";

export type SetBrake = {
  readonly kind: "set_brake";
  /** `connection.operation`, or one of those above. */
  readonly operation: string;
  readonly reason: string;
  readonly actor: string;
};

/**
 * The answer to a restore takes off the brake that the host set for it. A person who wants it on
 * takes it over, with their reason: then it stays until a person takes it off by name.
 */
export const setBrake: Rule<SetBrake> = (draft, { operation, reason, actor }) => {
  if (!draft.view.find("workflows")) return refuse("workflow_not_created");
  const bad = admitId(draft.view.policy, "operation", operation);
  if (bad) return bad;
  const setBefore = draft.view.find("brakes", operation);
  if (setBefore && (setBefore.setBy !== "host" || actor === "host")) return refuse("brake_is_on");
  if (setBefore) draft.emit({ kind: "brake_released", operation, actor });
  draft.emit({ kind: "brake_set", operation, reason, actor });
  return null;
};
