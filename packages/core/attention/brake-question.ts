import { callOfIntent, openIntentRuns } from "../intent/intent-run.ts";
import type { Draft } from "../journal/decision.ts";
import { brakeOn, brakeOnOperation, operationOf } from "../mutation/find-mutations.ts";
import { openRestoreQuestion } from "../restore/restore-point.ts";
import { findOpenRun, unsettledMutation } from "../run/find-runs.ts";
import { pause } from "../run/pause.ts";
import type { AttentionRow, BrakeRow, MutationRow, RunFailure, RunRow } from "../view/rows.ts";
import type { View } from "../view/view.ts";
import { openAttention } from "./attend.ts";
import { everyBrake, workflowBrake } from "./set-brake.ts";

const beginning = "brake: ";

/** Whether a question is about a brake: there is nothing outside to be put right. */
export function isAboutBrake({ kind, note }: Pick<AttentionRow, "kind" | "note">): boolean {
  return kind === "action_needed" && note.startsWith(beginning);
}

/** `what`: the call, in words. */
type Held = { readonly run: RunRow; readonly what: string; readonly brake: BrakeRow };

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

/**
 * A metered call is in no ledger: its run says in its failure which operation it waits to use, and
 * makes the call anew when it goes on. Without a brake, which may be off by now, it just goes on.
 */
export function pauseForBrake(draft: Draft, run: RunRow, failure: RunFailure): void {
  if (brakeOnOperation(draft.view, failure.location) === null) return;
  pause(draft, run, { status: "paused:approval", reason: "brake", failure });
}

/** The operation of a metered call that a brake keeps the run from making; null = none does. */
export function heldMetered({ reason, failure }: Pick<RunRow, "reason" | "failure">) {
  return reason === "brake" && failure !== null ? failure.location : null;
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
  if (run === null) return null;
  const what = heldMetered(run);
  const brake = what === null ? null : brakeOnOperation(view, what);
  if (what !== null && brake !== null) return { run, what, brake };
  return heldCall(view, run, unsettledMutation(view, run.runId));
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
  if (call === null || brake === null) return null;
  return { run, what: `${operationOf(call)} on ${call.target}`, brake };
}

function noteOf({ what, brake }: Held): string {
  return `${beginning}${sayHeld(what, brake)}`;
}

export function sayHeld(what: string, { operation, setBy, reason }: BrakeRow): string {
  const isWide = operation === workflowBrake || operation === everyBrake;
  const on = isWide ? "all sending" : operation;
  return `${what} is held by the brake on ${on}, set by ${setBy}: ${reason}`;
}
