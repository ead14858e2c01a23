import { askedCell, isAboutCell } from "../attention/cell-question.ts";
import { heldIntent } from "../attention/held-intents.ts";
import { callsOfUses, type OpenUse } from "../frame/event-uses.ts";
import type { AttentionRow, EventRow } from "../view/rows.ts";
import type { View } from "../view/view.ts";
import { whyNotRunnable } from "../workflow/runnable.ts";
import type { Cause } from "./cause.ts";
import { after, type Chain, done, moving, type Question, waiting } from "./chain.ts";
import { chainOfIntent } from "./explain-run.ts";
import { personAsked, stopCauses } from "./stop-causes.ts";

/** An event that machines are not done with: the first of what they have of it speaks for it. */
export function chainOfUse(question: Question, { topic }: EventRow, use: OpenUse): Chain {
  switch (use.kind) {
    case "untaken": {
      const before = { kind: "before_machines", topic } as const;
      if (whyNotRunnable(question.view)) return waiting(before, ...stopCauses(question));
      return after(before, moving({ kind: "serve_machines" }));
    }
    case "cell":
      return waiting(...causesOfCell(use.question));
    case "intent": {
      const { runId, handler: machine, uiTitle: cell } = use.run;
      const held = { kind: "held_by_intent", runId, machine, cell } as const;
      return after(held, chainOfIntent(question, use.run));
    }
  }
}

/** An event that machines subscribe to, and that nothing is left to do about. */
export function chainOfTaken(view: View, event: EventRow): Chain {
  const applied = callsOfUses(view, [event]).filter(({ state }) => state === "applied");
  const appliedIds = applied.map(({ mutationId }) => mutationId);
  return done({ kind: "machines_took", topic: event.topic, appliedIds });
}

/** So many are named of a workflow: each has a question of its own on the desk. */
const namedMax = 5;

/** Cells of the workflow that stand still. */
export function causesOfStoppedCells(view: View): Cause[] {
  return view
    .rows("attentions")
    .filter((row) => row.closedAt === null && isAboutCell(row))
    .sort((a, b) => a.openedAt - b.openedAt)
    .slice(0, namedMax)
    .flatMap(causesOfCell);
}

/** Calls of machines that a person has to let through, or whose account they have to mend. */
export function causesOfHeldCalls(view: View): Cause[] {
  return view
    .rows("attentions")
    .filter((row) => row.closedAt === null && heldIntent(row) !== null)
    .sort((a, b) => a.openedAt - b.openedAt)
    .slice(0, namedMax)
    .map((question) => personAsked(question, null));
}

function causesOfCell(question: AttentionRow): Cause[] {
  const cell = askedCell(question);
  const { attentionId } = question;
  const stopped: Cause[] = cell === null ? [] : [{ kind: "cell_stopped", ...cell, attentionId }];
  return [...stopped, personAsked(question, null)];
}
