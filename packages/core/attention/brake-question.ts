import type { Draft } from "../journal/decision.ts";
import { brakeOn, operationOf } from "../mutation/find-mutations.ts";
import { openRestoreQuestion } from "../restore/restore-point.ts";
import { findOpenRun, unsettledMutation } from "../run/find-runs.ts";
import type { AttentionRow } from "../view/rows.ts";
import type { View } from "../view/view.ts";
import { openAttention } from "./attend.ts";
import { everyBrake, workflowBrake } from "./set-brake.ts";

const beginning = "brake: ";

/**
 * A call that could be sent and is held by a brake is a person's matter, whichever came first: the
 * run does not go on until somebody takes the brake off or stops it. Asked once, after whatever
 * command led there, and closed by itself as soon as nothing is held any more. A restored store
 * asks a question of its own about its brake.
 */
export function tendBrakeQuestion(draft: Draft, actor: string): void {
  const held = heldByBrake(draft.view);
  for (const { attentionId, subject } of openBrakeQuestions(draft.view)) {
    if (subject === held?.runId) continue;
    draft.emit({ kind: "attention_closed", attentionId, actor, answer: "released" });
  }
  if (held !== null) openAttention(draft, "action_needed", held.runId, held.note, ["stop"]);
}

function openBrakeQuestions(view: View): readonly AttentionRow[] {
  const found: AttentionRow[] = [];
  for (const row of view.rows("attentions")) {
    const isOpen = row.closedAt === null && row.kind === "action_needed";
    if (isOpen && row.note.startsWith(beginning)) found.push(row);
  }
  return found;
}

function heldByBrake(view: View): { readonly runId: string; readonly note: string } | null {
  const isOn = !view.rows("brakes")[Symbol.iterator]().next().done;
  if (!isOn || openRestoreQuestion(view) !== null) return null;
  const run = findOpenRun(view);
  const mutation = run === null ? null : unsettledMutation(view, run.runId);
  if (run === null || mutation?.state !== "ready") return null;
  const brake = brakeOn(view, mutation);
  if (brake === null) return null;
  const { operation, setBy, reason } = brake;
  const isWide = operation === workflowBrake || operation === everyBrake;
  const on = isWide ? "all sending" : operation;
  const what = `${operationOf(mutation)} on ${mutation.target} is held by the brake on ${on}`;
  return { runId: run.runId, note: `${beginning}${what}, set by ${setBy}: ${reason}` };
}
