import type { AttentionRow, EventRow, MutationRow, RunRow } from "../view/rows.ts";
import type { View } from "../view/view.ts";

/** What machines have not done with yet, of an event. */
export type OpenUse =
  /** They have not taken it in. */
  | { readonly kind: "untaken" }
  /** A cell that stands still holds it, or something that came of it. */
  | { readonly kind: "cell"; readonly question: AttentionRow }
  /** A call that it led to is not settled. */
  | { readonly kind: "intent"; readonly run: RunRow };

/** What a person is asked about before what goes on by itself. The view holds the event's uses. */
export function openUses(view: View, event: EventRow): readonly OpenUse[] {
  const users = usersOf(view, [event]);
  // It was received in the fact after the one that published the event.
  const isUntaken = view
    .rows("machine_inputs")
    .some(({ position }) => position === event.position + 1);
  const questions = view
    .rows("attentions")
    .filter(({ attentionId, closedAt }) => users.has(attentionId) && closedAt === null);
  const runs = view
    .rows("runs")
    .filter(({ runId, endedAt }) => users.has(runId) && endedAt === null)
    .sort((a, b) => a.asOf - b.asOf);
  return [
    ...(isUntaken ? [{ kind: "untaken" } as const] : []),
    ...questions.map((question) => ({ kind: "cell", question }) as const),
    ...runs.map((run) => ({ kind: "intent", run }) as const),
  ];
}

/** The calls that machines made of these events, whatever became of them. */
export function callsOfUses(view: View, events: readonly EventRow[]): readonly MutationRow[] {
  const users = usersOf(view, events);
  return users.size === 0 ? [] : view.rows("mutations").filter(({ runId }) => users.has(runId));
}

function usersOf(view: View, events: readonly EventRow[]): ReadonlySet<string> {
  const users = new Set<string>();
  for (const { topic, messageId, usedBy } of view.rows("event_uses")) {
    const isOf = (event: EventRow) => event.topic === topic && event.messageId === messageId;
    if (events.some(isOf)) users.add(usedBy);
  }
  return users;
}
