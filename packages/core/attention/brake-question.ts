import { callOfIntent, openIntentRuns } from "../intent/intent-run.ts";
import type { Draft } from "../journal/decision.ts";
import { brakeOn, operationOf } from "../mutation/find-mutations.ts";
import { openRestoreQuestion } from "../restore/restore-point.ts";
import { findOpenRun, unsettledMutation } from "../run/find-runs.ts";
import { pause } from "../run/pause.ts";
import type { AttentionRow, BrakeRow, MutationRow, RunRow } from "../view/rows.ts";
import type { View } from "../view/view.ts";
import { openAttention } from "./attend.ts";
import { everyBrake, workflowBrake } from "./set-brake.ts";

const beginning = "brake: ";

/** Whether a question is about a brake: there is nothing outside to be put right. */
export function isAboutBrake({ kind, note }: Pick<AttentionRow, "kind" | "note">): boolean {
  return kind === "action_needed" && note.startsWith(beginning);
}

type Held = { readonly run: RunRow; readonly call: MutationRow; readonly brake: BrakeRow };

/**
 * A call that could be sent and is held by a brake is a person's matter, whichever came first: the
 * run says that it waits for that, and does not go on until somebody takes the brake off or stops
 * it. Asked once, after whatever command led there, and closed by itself as soon as nothing is
 * held any more. A restored store asks a question of its own about its brake.
 */
export function tendBrakeQuestion(draft: Draft, actor: string): void {
  const isOn = draft.view.rows("brakes").length > 0;
  const asked = openBrakeQuestions(draft.view);
  if (!isOn && asked.length === 0) return;
  const run = isOn ? heldRun(draft.view) : null;
  if (run?.run.status === "active") {
    pause(draft, run.run, { status: "paused:approval", reason: "brake" });
  }
  const isAsked = isOn && openRestoreQuestion(draft.view) === null;
  const intents = isAsked ? heldIntents(draft.view) : [];
  const held = isAsked && run !== null ? [run, ...intents] : intents;
  const subjects = new Set<string | null>(held.map(({ run: { runId } }) => runId));
  for (const { attentionId, subject } of asked) {
    if (subjects.has(subject)) continue;
    draft.emit({ kind: "attention_closed", attentionId, actor, answer: "released" });
  }
  for (const each of held) {
    const answer = each.run.open ? "stop" : "cancel";
    openAttention(draft, "action_needed", each.run.runId, noteOf(each), [answer]);
  }
}

/** A brake was taken off: the run that it held goes on as itself, unless another one holds it. */
export function letHeldRunGoOn(draft: Draft): void {
  const run = findOpenRun(draft.view);
  if (run?.reason !== "brake" || heldRun(draft.view) !== null) return;
  draft.emit({ kind: "run_resumed", runId: run.runId, fresh: false });
}

function openBrakeQuestions(view: View): readonly AttentionRow[] {
  return view.rows("attentions").filter((row) => row.closedAt === null && isAboutBrake(row));
}

function heldRun(view: View): Held | null {
  const run = findOpenRun(view);
  return run && heldCall(view, run, unsettledMutation(view, run.runId));
}

/**
 * Of machines, which may have thousands of calls open: the oldest that each brake holds stands for
 * the others. Their runs hold up nothing, and are not paused.
 */
function heldIntents(view: View): readonly Held[] {
  const oldest = new Map<string, Held>();
  for (const run of openIntentRuns(view)) {
    const held = heldCall(view, run, callOfIntent(view, run));
    if (held === null || oldest.has(held.brake.operation)) continue;
    oldest.set(held.brake.operation, held);
  }
  return [...oldest.values()];
}

function heldCall(view: View, run: RunRow, call: MutationRow | null): Held | null {
  const brake = call?.state === "ready" ? brakeOn(view, call) : null;
  return call === null || brake === null ? null : { run, call, brake };
}

function noteOf({ call, brake: { operation, setBy, reason } }: Held): string {
  const isWide = operation === workflowBrake || operation === everyBrake;
  const on = isWide ? "all sending" : operation;
  const what = `${operationOf(call)} on ${call.target} is held by the brake on ${on}`;
  return `${beginning}${what}, set by ${setBy}: ${reason}`;
}
