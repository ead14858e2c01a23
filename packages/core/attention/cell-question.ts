import type { Draft } from "../journal/decision.ts";
import type { Need } from "../ports/store.ts";
import { eventName } from "../topic/event-name.ts";
import type { EventRef } from "../topic/topic-facts.ts";
import type { AttentionRow } from "../view/rows.ts";
import type { View } from "../view/view.ts";
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
    /** It stands still, and these wait for it now, or something that came of them does. */
    | { readonly news: "holds"; readonly events: readonly EventRef[] }
  );

const beginning = "cell: ";

/** A cell that stopped goes on when a person says how; nothing else waits for it. */
export function tendCellQuestions(draft: Draft, news: readonly CellNews[]): void {
  const known = new Set(draft.view.rows("attentions").map(({ attentionId }) => attentionId));
  for (const each of news) {
    const subject = subjectOf(each);
    if (each.news === "restarted") {
      closeAttentions(draft, subject, { actor: each.actor, answer: each.answer });
    } else if (each.news === "stopped") {
      const note = `${beginning}${each.note}`;
      openAttention(draft, "action_needed", subject, note, ["redeliver", "drop"]);
    } else holdEvents(draft, subject, { events: each.events, known });
  }
}

type Held = { readonly events: readonly EventRef[]; readonly known: ReadonlySet<string> };

function holdEvents(draft: Draft, subject: string, { events, known }: Held): void {
  const question = questionOfCell(draft.view, subject);
  if (question === null) return;
  const { attentionId } = question;
  // One that was opened just now holds nothing yet.
  const isNew = !known.has(attentionId);
  const fresh = distinct(events).filter(({ topic, messageId }) => {
    return isNew || draft.view.find("event_uses", topic, messageId, attentionId) === null;
  });
  if (fresh.length > 0) draft.emit({ kind: "cell_holds_events", attentionId, events: fresh });
}

function distinct(events: readonly EventRef[]): readonly EventRef[] {
  return [...new Map(events.map((event) => [eventName(event), event])).values()];
}

/** Which of them a cell is known to hold already. */
export function usesOfHeld(view: View, cells: readonly CellNews[]): Need[] {
  return cells.flatMap((each) => {
    const question = each.news === "holds" ? questionOfCell(view, subjectOf(each)) : null;
    if (each.news !== "holds" || question === null) return [];
    const { attentionId } = question;
    return each.events.map(({ topic, messageId }) => {
      return { kind: "row", table: "event_uses", key: [topic, messageId, attentionId] } as const;
    });
  });
}

function questionOfCell(view: View, subject: string): AttentionRow | null {
  const questions = view.rows("attentions");
  const isAsked = (row: AttentionRow) => row.closedAt === null && row.subject === subject;
  return questions.find((row) => isAsked(row) && isAboutCell(row)) ?? null;
}

export function isAboutCell({ kind, note }: Pick<AttentionRow, "kind" | "note">): boolean {
  return kind === "action_needed" && note.startsWith(beginning);
}

function subjectOf({ machine, key }: AskedCell): string {
  return key === null ? `cell ${machine}` : `cell ${machine} ${key}`;
}

/** Which cell a question is about; null = it is about something else. */
export function askedCell(
  question: Pick<AttentionRow, "kind" | "note" | "subject">,
): AskedCell | null {
  if (!isAboutCell(question)) return null;
  const [, machine = "", key = null] = (question.subject ?? "").split(" ");
  return { machine, key };
}

const before = " stopped: ";

/** What it stopped on: the note of such a question says it after the name of the cell. */
export function faultOfCell({ note }: Pick<AttentionRow, "note">): string {
  return note.slice(note.indexOf(before) + before.length);
}
