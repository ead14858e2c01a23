import { openAttention } from "../attention/attend.ts";
import type { Rule } from "../journal/decision.ts";
import { whyNotRunnable } from "../workflow/runnable.ts";

export type BeginTurn = { readonly kind: "begin_turn" };

/**
 * A predecessor died, so a turn of the machines is written down before its steps run: a step that
 * kills its host must leave a trace of having begun. Two of them in a row that did not end stop the
 * workflow with a question, as two runs do.
 */
export const beginTurn: Rule<BeginTurn> = (draft) => {
  const bad = whyNotRunnable(draft.view);
  if (bad) return bad;
  const { machineTurns, machineDueAt: dueAt } = draft.view.load("workflows");
  const { crashesInARowMax } = draft.view.policy;
  const nothing = { frame: null, served: [], refused: [], dueAt } as const;
  if (machineTurns < crashesInARowMax) {
    draft.emit({ kind: "machine_frame_committed", ...nothing, begun: machineTurns + 1 });
    return null;
  }
  // Let go on by a person, the next death is enough.
  draft.emit({ kind: "machine_frame_committed", ...nothing, begun: crashesInARowMax - 1 });
  const error = `the machines brought the host down ${machineTurns} times in a row`;
  draft.emit({ kind: "workflow_errored", error });
  openAttention(draft, "crash_loop", null, error, ["resume"]);
  return null;
};
