import type { Draft } from "../journal/decision.ts";
import type { AttentionRow } from "../view/rows.ts";
import type { View } from "../view/view.ts";
import { type AnswerOf, type AttentionKind, attentionAnswers } from "./attention-kind.ts";

function openAttentions(view: View, subject: string | null): AttentionRow[] {
  return [...view.rows("attentions")].filter(
    (row) => row.closedAt === null && row.subject === subject,
  );
}

/** Asks a person. The same question about the same subject is asked once. */
export function openAttention<K extends AttentionKind>(
  draft: Draft,
  kind: K,
  subject: string | null,
  note: string,
  answers: readonly AnswerOf<K>[] = attentionAnswers[kind],
): void {
  if (openAttentions(draft.view, subject).some((row) => row.kind === kind)) return;
  const attentionId = `a${draft.nextSeq}`;
  draft.emit({
    kind: "attention_opened",
    attentionId,
    attentionKind: kind,
    subject,
    note,
    answers,
  });
  draft.order({ kind: "notify", attentionId });
}

/** These stay until a person answers them themselves, whatever else becomes of their subject. */
const answeredByThemselves: readonly AttentionKind[] = [
  "happened_after_all",
  "ledger_may_be_older_than_world",
];

export function closeAttentions(
  draft: Draft,
  subject: string | null,
  closing: { readonly actor: string; readonly answer: string },
): void {
  for (const { attentionId, kind } of openAttentions(draft.view, subject)) {
    if (answeredByThemselves.includes(kind)) continue;
    draft.emit({ kind: "attention_closed", attentionId, ...closing });
  }
}
