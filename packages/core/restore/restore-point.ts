import type { Draft } from "../journal/decision.ts";
import { heldEvents } from "../run/find-runs.ts";
import type { AttentionRow, EventRow, MutationRow, RunRow, Seq } from "../view/rows.ts";
import type { View } from "../view/view.ts";

/** The question that every workflow of a restored store asks first; null = it is not open. */
export function openRestoreQuestion(view: View): AttentionRow | null {
  for (const row of view.rows("attentions")) {
    if (row.kind === "ledger_may_be_older_than_world" && row.closedAt === null) return row;
  }
  return null;
}

/**
 * An input of the call was there before the restore point. In the time that the ledger has
 * forgotten it may have been worked off, with other bytes and so under another key: what this
 * call's key finds proves nothing. Only a person's word lets it be sent.
 */
export function mayHaveHappened(view: View, { runId, itemId, resolution }: MutationRow): boolean {
  const through = view.find("workflows")?.restoredThrough ?? null;
  if (through === null || resolution?.kind === "send") return false;
  const item = itemId === null ? null : view.load("items", itemId);
  if (item !== null && (item.older || item.position <= through)) return true;
  return heldEvents(view, runId).some((event) => isOlder(event, through));
}

/**
 * Whether what a run publishes is as old as what it came of: it may have been published before. So
 * may what a producer finds in its first run, because it has forgotten what it had seen.
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

/** The first run of a producer has brought it to where the world is. */
export function noteCaughtUp(draft: Draft, { handler }: RunRow): void {
  const { restoredThrough: through, behindRestore } = draft.view.load("workflows");
  if (through === null || !behindRestore?.includes(handler)) return;
  const behind = behindRestore.filter((name) => name !== handler);
  draft.emit({ kind: "restore_point_moved", through, behind });
}

function isOlder({ position, older }: EventRow, through: Seq): boolean {
  return older || position <= through;
}
