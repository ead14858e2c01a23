import type { Draft } from "../journal/decision.ts";
import type { AttentionRow } from "../view/rows.ts";
import type { View } from "../view/view.ts";
import { openAttention } from "./attend.ts";

/** A machine's call that grants do not let through. It is not in the ledger, and stays open. */
export type HeldIntent = {
  readonly intentId: string;
  /** `connection.operation`. */
  readonly operation: string;
  /** Number of the envelope it was judged by. */
  readonly envelope: number;
  readonly reason: "permission" | "budget";
  readonly why: string;
};

type Subject = Pick<HeldIntent, "intentId" | "operation" | "envelope">;

/**
 * Of what is held of one operation for one reason the oldest stands for the others, as with brakes:
 * a machine may have thousands. Asked again where other grants do not let it through either, and
 * closed by itself when nothing of it is held any more. `held`: in their order.
 */
export function tendHeldIntents(draft: Draft, held: readonly HeldIntent[]): void {
  const asked = new Map<string, HeldIntent>();
  for (const each of held) {
    const about = `${each.reason} ${each.operation}`;
    if (!asked.has(about)) asked.set(about, each);
  }
  const subjects = new Set([...asked.values()].map(subjectOf));
  for (const { attentionId, subject } of openHeldQuestions(draft.view)) {
    if (subject !== null && subjects.has(subject)) continue;
    draft.emit({ kind: "attention_closed", attentionId, actor: "host", answer: "released" });
  }
  for (const each of asked.values()) {
    const note = `${each.reason}: ${each.why}`;
    openAttention(draft, "action_needed", subjectOf(each), note, ["cancel"]);
  }
}

/** Other grants are in force than those that something is held by. */
export function isHeldByOthers(view: View): boolean {
  const { envelope } = view.load("workflows");
  return openHeldQuestions(view).some((row) => heldIntent(row)?.envelope !== envelope);
}

/** Which call a question is about; null = it is about something else. */
export function heldIntent({ kind, subject }: AttentionRow): Subject | null {
  const found = kind === "action_needed" ? form.exec(subject ?? "") : null;
  if (found === null) return null;
  const [, intentId = "", envelope = "", operation = ""] = found;
  return { intentId, envelope: Number(envelope), operation };
}

function openHeldQuestions(view: View): readonly AttentionRow[] {
  return view.rows("attentions").filter((row) => row.closedAt === null && heldIntent(row) !== null);
}

const form = /^intent ([0-9a-f]{64}) by (\d+) (.*)$/s;

function subjectOf({ intentId, envelope, operation }: Subject): string {
  return `intent ${intentId} by ${envelope} ${operation}`;
}
