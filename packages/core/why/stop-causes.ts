import { openRestoreQuestion } from "../restore/restore-point.ts";
import type { AttentionRow, Instant } from "../view/rows.ts";
import type { View } from "../view/view.ts";
import type { Cause } from "./cause.ts";
import type { Question } from "./chain.ts";

/** Why nothing of the workflow is started or sent; empty = it may run. */
export function stopCauses({ view, witness }: Question): Cause[] {
  const workflow = view.find("workflows");
  if (!workflow) return [{ kind: "workflow_not_created" }];
  const { status, error } = workflow;
  const causes: Cause[] = [];
  const by = witness.stoppedBy;
  if (status === "paused") causes.push({ kind: "workflow_paused", by });
  if (status === "archived") causes.push({ kind: "workflow_archived", by });
  if (error !== null) {
    causes.push({ kind: "workflow_stopped", error }, ...questionsAbout(view, [null]));
  }
  return causes;
}

/** What takes the brake of a restored store off. */
export function restoreQuestion(view: View): Cause[] {
  const row = openRestoreQuestion(view);
  return row === null ? [] : [personAsked(row, null)];
}

/** Nothing waits for the answer to the one, which is about the past; the other holds only sends. */
const notWaitedFor: readonly AttentionRow["kind"][] = [
  "happened_after_all",
  "ledger_may_be_older_than_world",
];

/** The open questions about these subjects, without which these do not go on. */
export function questionsAbout(
  view: View,
  subjects: readonly (string | null)[],
  until: Instant | null = null,
): Cause[] {
  return [...view.rows("attentions")]
    .filter(
      ({ closedAt, kind, subject }) =>
        closedAt === null && !notWaitedFor.includes(kind) && subjects.includes(subject),
    )
    .sort((a, b) => a.openedAt - b.openedAt)
    .map((row) => personAsked(row, until));
}

export function personAsked(row: AttentionRow, until: Instant | null): Cause {
  const { attentionId, kind: question, subject: about, note, answers, openedAt: since } = row;
  return { kind: "person_asked", attentionId, question, about, note, answers, since, until };
}
