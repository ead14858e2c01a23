import { applyRule, decisionOf } from "../decide.ts";
import { type Decision, Draft } from "../journal/decision.ts";
import type { Refusal } from "../journal/refusal.ts";
import type { ApproveMutation } from "../mutation/approve-mutation.ts";
import { admitCommand } from "../policy/admit-command.ts";
import { invariant } from "../ports/invariant.ts";
import type { InboxEntry } from "../ports/store.ts";
import type { Instant } from "../view/rows.ts";
import type { View } from "../view/view.ts";
import { whyDecidedOnOther } from "./decided-on.ts";
import { parseCommand } from "./parse-command.ts";

/** What the host has found out for an entry that cannot say it of itself. */
export type JudgedEntry = Pick<ApproveMutation, "fourEyes">;

type ParsedCommand = Exclude<ReturnType<typeof parseCommand>, Refusal>;

/**
 * Folds one inbox entry into facts with its verdict. A refusal is an answer like any other: it is
 * recorded, the mark moves on, and the caller who waits hears it.
 */
export function foldCommand(
  view: View,
  entry: InboxEntry,
  now: Instant,
  judged: JudgedEntry = {},
): Decision {
  const through = view.load("workflows").inboxThrough;
  invariant(entry.position === through + 1, `inbox entry ${entry.position} after ${through}`);
  const draft = new Draft(view, now);
  const parsed = parseCommand(entry);
  const isApproval = !("code" in parsed) && parsed.kind === "approve_mutation";
  const command = isApproval ? { ...parsed, ...judged } : parsed;
  const refusal = "code" in command ? command : judge(draft, command);
  const answered = refusal ? new Draft(view, now) : draft;
  answered.emit({
    kind: "command_answered",
    commandId: entry.commandId,
    position: entry.position,
    commandKind: entry.kind,
    actor: entry.actor,
    accepted: refusal === null,
    refusal: refusal?.code ?? null,
    note: refusal?.note ?? answered.note,
  });
  return decisionOf(answered);
}

/** What was decided on something else is refused before its own rule is asked. */
function judge(draft: Draft, command: ParsedCommand): Refusal | null {
  const { view } = draft;
  if (!("decidedOn" in command)) return applyRule(draft, command);
  const admitted = admitCommand(view.policy, command);
  if ("code" in admitted) return admitted;
  return whyDecidedOnOther(view, command) ?? applyRule(draft, command);
}
