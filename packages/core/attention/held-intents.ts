import type { Draft } from "../journal/decision.ts";
import { brakeOnOperation } from "../mutation/find-mutations.ts";
import type { AttentionRow } from "../view/rows.ts";
import type { View } from "../view/view.ts";
import { openAttention } from "./attend.ts";

/**
 * A machine's call that is not made, and is not in the ledger either: grants do not let it through,
 * or it is a read whose sign-in the service refuses, or a metered one that a brake holds. Its
 * intent stays open.
 */
export type HeldIntent = {
  readonly intentId: string;
  /** `connection.operation`. */
  readonly operation: string;
  /** Number of the envelope it was judged by. */
  readonly envelope: number;
  readonly reason: "auth" | "permission" | "budget";
  readonly why: string;
  /** Whose sign-in the service refused; null = nobody was asked, grants hold it. */
  readonly account: string | null;
  /** It is a brake that holds it; absent = none does. */
  readonly isBraked?: boolean;
};

type Subject = Pick<HeldIntent, "intentId" | "operation" | "account"> & {
  readonly envelope: number | null; // null = grants are not what holds it
  readonly isBraked: boolean;
};

/**
 * Of what is held of one operation for one reason the oldest stands for the others, as with brakes:
 * a machine may have thousands. Asked again where other grants do not let it through either, and
 * closed by itself when nothing of it is held any more. `held`: in their order.
 */
export function tendHeldIntents(draft: Draft, held: readonly HeldIntent[]): void {
  const asked = new Map<string, HeldIntent>();
  for (const each of held) {
    const about = `${each.isBraked === true ? "brake" : each.reason} ${aboutOf(each)}`;
    if (!asked.has(about)) asked.set(about, each);
  }
  const subjects = new Set([...asked.values()].map(subjectOf));
  for (const { attentionId, subject } of openHeldQuestions(draft.view)) {
    if (subject !== null && subjects.has(subject)) continue;
    draft.emit({ kind: "attention_closed", attentionId, actor: "host", answer: "released" });
  }
  for (const each of asked.values()) {
    const note = each.isBraked === true ? each.why : `${each.reason}: ${each.why}`;
    const answers = each.account === null ? cancelOnly : resumeOrCancel;
    openAttention(draft, "action_needed", subjectOf(each), note, answers);
  }
}

const cancelOnly = ["cancel"] as const;
const resumeOrCancel = ["resume", "cancel"] as const;

/** Other grants are in force than those that something is held by, or its brake is off. */
export function isHeldByOthers(view: View): boolean {
  const { envelope } = view.load("workflows");
  return openHeldQuestions(view).some((row) => {
    const held = heldIntent(row);
    if (held?.isBraked === true) return brakeOnOperation(view, held.operation) === null;
    return (held?.envelope ?? envelope) !== envelope;
  });
}

/** The intents that open questions name: each stands for all that wait for the same. */
export function askedIntents(view: View): readonly string[] {
  return openHeldQuestions(view).flatMap((row) => heldIntent(row)?.intentId ?? []);
}

/** What waits for a person to mend its account, as `aboutOf` has it. */
export function waitingSignIns(view: View): ReadonlySet<string> {
  const held = openHeldQuestions(view).flatMap((row) => heldIntent(row) ?? []);
  return new Set(held.filter(({ account }) => account !== null).map(aboutOf));
}

/** All calls of one operation by one account wait for the same. */
export function aboutOf({ operation, account }: Pick<HeldIntent, "operation" | "account">): string {
  return `${account ?? ""} ${operation}`;
}

/** Which call a question is about; null = it is about something else. */
export function heldIntent({ kind, subject }: AttentionRow): Subject | null {
  const found = kind === "action_needed" ? form.exec(subject ?? "") : null;
  if (found === null) return null;
  const [, intentId = "", how = "", by = "", operation = ""] = found;
  const isBraked = how === "under";
  const held = { intentId, operation, isBraked };
  if (how === "by") return { ...held, envelope: Number(by), account: null };
  return { ...held, envelope: null, account: isBraked ? null : decodeURIComponent(by) };
}

function openHeldQuestions(view: View): readonly AttentionRow[] {
  return view.rows("attentions").filter((row) => row.closedAt === null && heldIntent(row) !== null);
}

const form = /^intent ([0-9a-f]{64}) (by|of|under) (\S*) (.*)$/s;

function subjectOf({ intentId, envelope, operation, account, isBraked }: HeldIntent): string {
  if (isBraked === true) return `intent ${intentId} under brake ${operation}`;
  if (account === null) return `intent ${intentId} by ${envelope} ${operation}`;
  return `intent ${intentId} of ${encodeURIComponent(account)} ${operation}`;
}
