import { openAttention } from "../attention/attend.ts";
import type { Draft } from "../journal/decision.ts";
import { operationOf, runOf } from "../mutation/find-mutations.ts";
import { pause } from "../run/pause.ts";
import type { MutationRow } from "../view/rows.ts";
import type { View } from "../view/view.ts";

/** Instead of sending: the run keeps its events and its call, and a person says what is true. */
export function askFirst(draft: Draft, mutation: MutationRow): void {
  pause(draft, runOf(draft, mutation), { status: "paused:approval", reason: "approval" });
  const note =
    `${operationOf(mutation)} on ${mutation.target} may have happened already: its input, or ` +
    "what asks for it, is from before the store was restored, and what was sent then is not in " +
    "the ledger";
  openAttention(draft, "may_have_happened", mutation.mutationId, note);
}

/** Whether a person is asked about a call that this ledger has never sent. */
export function isAskedFirst(view: View, { mutationId, state }: MutationRow): boolean {
  if (state !== "ready") return false;
  for (const { kind, subject, closedAt } of view.rows("attentions")) {
    if (kind === "may_have_happened" && subject === mutationId && closedAt === null) return true;
  }
  return false;
}
