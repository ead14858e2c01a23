import { type Draft, type Rule, refuse } from "../journal/decision.ts";
import { inputStatus, isStaleInput } from "../topic/events-of-input.ts";
import type { AttentionRow, InputRow } from "../view/rows.ts";
import type { View } from "../view/view.ts";
import { sayUtc } from "../why/say-time.ts";
import { closeAttentions, openAttention } from "./attend.ts";

/** A host has looked for the oldest input that is stale, or at the one that was asked about. */
export type NoteStale = {
  readonly kind: "note_stale";
  readonly inputId: string;
  /** How many are stale, it among them, as far as was looked. */
  readonly count: number;
  /** There may be more. */
  readonly isMore: boolean;
};

const beginning = "stale input: ";

type Asked = Pick<AttentionRow, "kind" | "note" | "subject">;

/** Whether a question is about an input that nobody works off: it only wants to be seen. */
export function isAboutStale({ kind, note, subject }: Asked): boolean {
  return kind === "action_needed" && subject !== null && note.startsWith(beginning);
}

/**
 * One question for all that is stale, about the oldest. It stays until its input is no longer
 * pending or somebody has taken note of it. The owner looks for itself: what a host has seen may
 * be over when the command's turn comes.
 */
export const noteStale: Rule<NoteStale> = (draft, command) => {
  const { view } = draft;
  const { inputId } = command;
  const workflow = view.find("workflows");
  if (!workflow) return refuse("workflow_not_created");
  const input = view.find("inputs", inputId);
  if (!input) return refuse("input_not_found");
  const asked = openStaleQuestion(view);
  if (asked?.subject === inputId && inputStatus(view, inputId) !== "pending") {
    closeStaleQuestion(draft, inputId, { actor: "host", answer: "not_stale" });
    return null;
  }
  if (asked) return refuse("stale_input_asked");
  // Nobody means to work it off; if it is restored, it is asked about then.
  if (workflow.status === "archived") return refuse("workflow_is_archived");
  if (!isStaleInput(view, inputId, draft.now)) return refuse("input_not_stale");
  openAttention(draft, "action_needed", inputId, noteOf(view, input, command), ["acknowledge"]);
  return null;
};

export function closeStaleQuestion(
  draft: Draft,
  inputId: string,
  closing: { readonly actor: string; readonly answer: string },
): void {
  if (openStaleQuestion(draft.view)?.subject === inputId) closeAttentions(draft, inputId, closing);
}

function openStaleQuestion(view: View): AttentionRow | null {
  const open = view.rows("attentions").filter(({ closedAt }) => closedAt === null);
  return open.find(isAboutStale) ?? null;
}

function noteOf({ workflow, policy }: View, input: InputRow, { count, isMore }: NoteStale): string {
  const { inputId, title, createdAt } = input;
  const name = title === "" ? inputId : `"${title}" (${inputId})`;
  const many = isMore ? `${count} or more inputs have` : `${count} inputs have`;
  const all = count === 1 && !isMore ? "It has" : many;
  const since = `is pending since ${sayUtc(createdAt)}`;
  const longer = `${all} waited for more than ${sayLength(policy.staleInputMs)}`;
  const why = `\`holdfast why ${workflow} ${inputId}\` tells why`;
  return `${beginning}${name} ${since}. ${longer}. ${why}.`;
}

const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
] as const;

/** In the largest unit that fits it. */
function sayLength(ms: number): string {
  const [name, unitMs] = units.find(([, each]) => ms >= each && ms % each === 0) ?? ["ms", 1];
  const count = ms / unitMs;
  return `${count} ${name}${count === 1 || name === "ms" ? "" : "s"}`;
}
