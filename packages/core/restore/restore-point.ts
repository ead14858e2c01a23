import { openAttention } from "../attention/attend.ts";
import type { Draft } from "../journal/decision.ts";
import type { Fact } from "../journal/fact.ts";
import { heldEvents } from "../run/find-runs.ts";
import { runSeqOf } from "../run/start-run.ts";
import type { AttentionRow, EventRow, MutationRow, RunRow, Seq } from "../view/rows.ts";
import type { View } from "../view/view.ts";

const olderKind = "ledger_may_be_older_than_world";

/**
 * The question that every workflow of a restored store asks first, or with a name: whether that
 * producer has caught up. Null = it is not open.
 */
export function openRestoreQuestion(
  view: View,
  producer: string | null = null,
): AttentionRow | null {
  for (const row of view.rows("attentions")) {
    if (row.kind === olderKind && row.closedAt === null && row.subject === producer) return row;
  }
  return null;
}

/**
 * An input of the call was there before the restore point. In the time that the ledger has
 * forgotten it may have been worked off, with other bytes and so under another key: what this
 * call's key finds proves nothing. Only a person's word lets it be sent, given since this restore:
 * after an earlier one it may have been acted on, and that be forgotten.
 */
export function mayHaveHappened(view: View, { runId, itemId, resolution }: MutationRow): boolean {
  const workflow = view.find("workflows");
  const through = workflow?.restoredThrough ?? null;
  if (through === null) return false;
  const isLetGo = resolution?.storeIncarnation === workflow?.storeIncarnation;
  if (resolution?.kind === "send" && isLetGo) return false;
  const item = itemId === null ? null : view.load("items", itemId);
  if (item !== null && (item.older || item.position <= through)) return true;
  return heldEvents(view, runId).some((event) => isOlder(event, through));
}

/**
 * Whether what a run publishes is as old as what it came of: it may have been published before. So
 * may what a producer finds until it has caught up, because it has forgotten what it had seen, or
 * what was pushed to it.
 */
export function comesOfOlder(
  view: View,
  { handler }: RunRow,
  of: { readonly events: readonly EventRow[]; readonly deliveries: readonly string[] },
): boolean {
  const { restoredThrough: through, behindRestore } = view.load("workflows");
  if (through === null) return false;
  if (behindRestore?.includes(handler)) return true;
  if (of.events.some((event) => isOlder(event, through))) return true;
  return of.deliveries.some((inputId) => view.load("deliveries", inputId).position <= through);
}

/**
 * A producer that looks page by page is where the world is when it has looked and found nothing
 * new. One that finds something every time never shows it: then a person says so.
 */
export function noteCaughtUp(draft: Draft, run: RunRow, headBefore: Seq): void {
  const { handler } = run;
  if (!draft.view.load("workflows").behindRestore?.includes(handler)) return;
  if (!foundNew(draft, run, headBefore)) return catchUp(draft, handler, byItself);
  // What it finds before that one is answered is from before in any case.
  if (openRestoreQuestion(draft.view)) return;
  openAttention(draft, olderKind, handler, stillBehind(handler));
}

const byItself = { actor: "host", answer: "found nothing new" };

/** From now on what it finds is new. */
export function catchUp(
  draft: Draft,
  handler: string,
  closing: { readonly actor: string; readonly answer: string },
): void {
  const { restoredThrough: through, behindRestore } = draft.view.load("workflows");
  if (through === null) return;
  const behind = (behindRestore ?? []).filter((name) => name !== handler);
  draft.emit({ kind: "restore_point_moved", through, behind });
  closeRestoreQuestion(draft, handler, closing);
}

export function closeRestoreQuestion(
  draft: Draft,
  producer: string,
  closing: { readonly actor: string; readonly answer: string },
): void {
  const asked = openRestoreQuestion(draft.view, producer);
  if (!asked) return;
  draft.emit({ kind: "attention_closed", attentionId: asked.attentionId, ...closing });
}

function stillBehind(handler: string): string {
  return (
    `The store was restored, and ${handler} has found something since: it may be from the time ` +
    "that is forgotten, and there may be more. Every change that comes of it asks by itself, " +
    `until a run of ${handler} finds nothing new. Continue: it has caught up, and what it finds ` +
    "from now on is new."
  );
}

function foundNew(draft: Draft, run: RunRow, headBefore: Seq): boolean {
  if (run.kind === "producer") return draft.records.some(({ fact }) => isFind(fact));
  // It was given what it works on; whether that is older is said by the event itself.
  const isGiven = run.trigger === "event";
  if (isGiven && draft.view.load("handlers", run.handler).nextRunAt === null) return false;
  // A job keeps what it finds as it goes: it found nothing for sure if nothing was kept.
  return headBefore !== runSeqOf(run.runId);
}

function isFind({ kind }: Fact): boolean {
  return kind === "event_published" || kind === "input_registered";
}

function isOlder({ position, older }: EventRow, through: Seq): boolean {
  return older || position <= through;
}
