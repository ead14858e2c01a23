import type { Draft } from "../journal/decision.ts";
import type { AttentionRow } from "../view/rows.ts";
import { closeAttentions, openAttention } from "./attend.ts";

/** Which cell of a machine. */
export type AskedCell = {
  readonly machine: string;
  /** Its key in hex; null = the machine has one cell only. */
  readonly key: string | null;
};

/** What became of a cell in a frame, in the order of its records. */
export type CellNews = AskedCell &
  (
    | { readonly news: "stopped"; readonly note: string }
    | { readonly news: "restarted"; readonly actor: string; readonly answer: string }
  );

const beginning = "cell: ";

/** A cell that stopped goes on when a person says how; nothing else waits for it. */
export function tendCellQuestions(draft: Draft, news: readonly CellNews[]): void {
  for (const each of news) {
    const subject = subjectOf(each);
    if (each.news === "restarted") {
      closeAttentions(draft, subject, { actor: each.actor, answer: each.answer });
    } else {
      const note = `${beginning}${each.note}`;
      openAttention(draft, "action_needed", subject, note, ["redeliver", "drop"]);
    }
  }
}

export function isAboutCell({ kind, note }: Pick<AttentionRow, "kind" | "note">): boolean {
  return kind === "action_needed" && note.startsWith(beginning);
}

function subjectOf({ machine, key }: AskedCell): string {
  return key === null ? `cell ${machine}` : `cell ${machine} ${key}`;
}

/** Which cell a question is about; null = it is about something else. */
export function askedCell(question: AttentionRow): AskedCell | null {
  if (!isAboutCell(question)) return null;
  const [, machine = "", key = null] = (question.subject ?? "").split(" ");
  return { machine, key };
}
